import { instant, type ResourceLimit, text } from '@chairside/domain';
import { z } from 'zod';

/** A query parameter that narrows a list to what equals it. */
export const filterBy = (what: string, example: string) =>
  text(1000)
    .optional()
    .meta({ description: `Only those ${what}.`, examples: [example] });
export const clinicFilter = filterBy('of this clinic', '01JB0000000000000000CHN1C0');
export const patientFilter = filterBy('of this patient', '01JB0000000000000000PAT1E0');

/** A query parameter that is an instant. */
export const timeFilter = (description: string) =>
  instant.optional().meta({ description, examples: ['2030-01-31T00:00:00Z'] });

const dateOf = (time: string | undefined): Date | undefined =>
  time === undefined ? undefined : new Date(time);

/** The times between which a list is asked for. */
export const timeRange = (since: string | undefined, until?: string | undefined) => ({
  since: dateOf(since),
  until: dateOf(until),
});

/** A comma-separated projection; an unknown name is refused with the list of those that are allowed. */
export const fieldsOf = (schema: z.ZodObject) => {
  const allowed = Object.keys(schema.shape);
  return text(1000)
    .transform((value, context) => {
      const names = value.split(',').map((name) => name.trim());
      if (names.every((name) => allowed.includes(name))) return names;
      // Whatever was sent: a value is in no answer that refuses it.
      context.addIssue({
        code: 'custom',
        message: `has an unknown name; allowed are ${allowed.join(', ')}`,
      });
      return z.NEVER;
    })
    .optional()
    .meta({
      description: 'Only these fields of each row, and `_id`; separated by commas.',
      type: 'array',
      items: { enum: allowed },
      examples: [allowed.slice(0, 3)],
    });
};

/** The most ids that can be asked for at once. */
const MAX_IDS = 200;

/** Comma-separated ids. */
export const idList = text(MAX_IDS * 130)
  .transform((value) =>
    value
      .split(',')
      .map((entry) => entry.trim())
      .filter((entry) => entry !== ''),
  )
  .refine((ids) => ids.length <= MAX_IDS, `must have at most ${MAX_IDS} ids`)
  .optional()
  .meta({
    description: 'Only those with these ids, separated by commas; unknown ones are simply absent.',
    type: 'array',
    items: { type: 'string' },
    maxItems: MAX_IDS,
    examples: [['01JB0000000000000000PAT1E0', '01JB0000000000000000PAT2E0']],
  });

export const queryLimits: readonly ResourceLimit[] = [
  {
    id: 'ids',
    part: 'Reading',
    resource: 'Ids in `_ids`',
    value: MAX_IDS,
    unit: 'ids',
    beyond: '400 ValidationError',
    metric: 'chairside_api_refusals_total',
  },
];
