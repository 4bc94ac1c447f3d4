import { z } from 'zod';

/** Maximum number of issues in one response. */
export const MAX_ISSUES = 100;

/** The issues of the first entries that have any, until there are as many as one response lists. */
const firstIssues = (entry: z.ZodType, values: readonly unknown[]): z.core.$ZodIssue[] => {
  const issues: z.core.$ZodIssue[] = [];
  for (const [index, value] of values.entries()) {
    const { error } = entry.safeParse(value, { reportInput: true });
    issues.push(...(error?.issues ?? []).map((issue) => ({ ...issue, path: [index, ...issue.path] })));
    if (issues.length >= MAX_ISSUES) break;
  }
  return issues;
};

/**
 * An array in a request, with at most `max` entries. A longer array is refused before its entries are validated,
 * because a body of 256 KiB can contain more than a hundred thousand entries, and each could cause an issue.
 *
 * @param hasLists whether the entries contain lists, so that few entries can cause very many issues. Validation then ends
 *   when there are as many issues as one response lists
 */
export const listOf = <S extends z.ZodType>(
  entry: S,
  max: number,
  error = 'must be an array',
  { hasLists = false } = {},
) =>
  z.preprocess(
    (value, context) => {
      if (!Array.isArray(value)) return value;
      if (value.length > max) {
        context.addIssue({
          code: 'custom',
          message: `must have at most ${max} entries`,
          params: { code: 'too_large' },
        });
        return z.NEVER;
      }
      const issues = hasLists ? firstIssues(entry, value) : [];
      if (issues.length < MAX_ISSUES) return value;
      for (const issue of issues) context.addIssue({ ...issue });
      return z.NEVER;
    },
    // The same limit is repeated here for the API reference.
    z.array(entry, { error }).max(max),
  );
