import { text } from '@chairside/domain';
import { z } from 'zod';

/** A query parameter that narrows a list to one id. */
export const idFilter = text(1000).optional();

/** A comma-separated projection; an unknown name is refused with the list of those that are allowed. */
export const fieldsOf = (schema: z.ZodObject) => {
  const allowed = Object.keys(schema.shape);
  return text(1000)
    .transform((value, context) => {
      const names = value.split(',').map((name) => name.trim());
      const unknown = names.filter((name) => !allowed.includes(name));
      if (unknown.length === 0) return names;
      context.addIssue({
        code: 'custom',
        message: `has the unknown name ${JSON.stringify(unknown[0])}; allowed are ${allowed.join(', ')}`,
      });
      return z.NEVER;
    })
    .optional();
};

/** The most ids that can be asked for at once. */
export const MAX_IDS = 200;

/** Comma-separated ids. */
export const idList = text(MAX_IDS * 130)
  .transform((value) =>
    value
      .split(',')
      .map((entry) => entry.trim())
      .filter((entry) => entry !== ''),
  )
  .refine((ids) => ids.length <= MAX_IDS, `must have at most ${MAX_IDS} ids`)
  .optional();
