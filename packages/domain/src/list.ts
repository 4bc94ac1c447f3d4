import { z } from 'zod';

/**
 * An array in a request, with at most `max` entries. A longer array is refused before its entries are validated,
 * because a body of 256 KiB can contain more than a hundred thousand entries, and each could cause an issue.
 */
export const listOf = <S extends z.ZodType>(entry: S, max: number, error = 'must be an array') =>
  z.preprocess(
    (value, context) => {
      if (!Array.isArray(value) || value.length <= max) return value;
      context.addIssue({
        code: 'custom',
        message: `must have at most ${max} entries`,
        params: { code: 'too_large' },
      });
      return z.NEVER;
    },
    // The same limit is repeated here for the API reference.
    z.array(entry, { error }).max(max),
  );
