import { externalId, id, instant, type ResourceLimit, text } from '@chairside/domain';
import { MAX_EXAMINED } from '@chairside/mongodb';
import { z } from 'zod';

/**
 * A sentence for the descriptions of lists.
 *
 * @param filters the filters that no index covers
 */
export const examinedWith = (filters: string): string =>
  `A request with ${filters} examines at most ${MAX_EXAMINED.toLocaleString('en')} rows. If it has not found enough by then, the page ends with the rows found so far, possibly none, and has a cursor.`;

/** A query parameter that filters a list by equality. */
export const filterBy = (what: string, example: string) =>
  text(1000)
    .optional()
    .meta({ description: `Only rows ${what}.`, examples: [example] });
export const clinicFilter = filterBy('of this clinic', '01JB0000000000000000CHN1C0');
export const providerFilter = filterBy('of this provider', '01JB0000000000000PR0V1DER0');
export const patientFilter = filterBy('of this patient', '01JB0000000000000000PAT1E0');

/** The query parameter with which a list finds a record by its external id. */
export const externalIdFilter = externalId.optional().meta({
  description: 'Only the record with this `externalId`.',
  examples: ['pms:4711'],
});

/** A query parameter that is an instant. */
export const timeFilter = (description: string) =>
  instant.optional().meta({ description, examples: ['2030-01-31T00:00:00Z'] });

const dateOf = (time: string | undefined): Date | undefined =>
  time === undefined ? undefined : new Date(time);

/** The two dates of a filter by time. */
export const timeRange = (since: string | undefined, until?: string | undefined) => ({
  since: dateOf(since),
  until: dateOf(until),
});

/**
 * The query parameter `fields`: names of fields, separated by commas. The refusal of an unknown name lists the known
 * names.
 */
export const fieldsOf = (schema: z.ZodObject) => {
  const allowed = Object.keys(schema.shape);
  return text(1000)
    .transform((value, context) => {
      const names = value.split(',').map((name) => name.trim());
      if (names.every((name) => allowed.includes(name))) return names;
      // The message does not quote the unknown name, because it could be patient data.
      context.addIssue({
        code: 'custom',
        message: `must contain only names of these fields: ${allowed.join(', ')}`,
      });
      return z.NEVER;
    })
    .optional()
    .meta({
      description: 'Names of the fields to return, separated by commas. `_id` is always returned.',
      type: 'array',
      items: { enum: allowed },
      examples: [allowed.slice(0, 3)],
    });
};

/** The fields to return, in a body. */
export const fieldsIn = (schema: z.ZodObject) => {
  const allowed = Object.keys(schema.shape);
  return z
    .array(z.enum(allowed, { error: `must be the name of one of these fields: ${allowed.join(', ')}` }))
    .max(allowed.length)
    .optional()
    .meta({
      description: 'Names of the fields to return. `_id` is always returned.',
      examples: [allowed.slice(0, 3)],
    });
};

/** A query parameter with one or more of these names, separated by commas. */
export const someOf = <Name extends string>(names: readonly Name[]) =>
  text(1000)
    .transform((value, context) => {
      const chosen = new Set(value.split(',').map((name) => name.trim()));
      const known = names.filter((name) => chosen.has(name));
      if (known.length === chosen.size) return known;
      context.addIssue({
        code: 'custom',
        message: `must be one or more of ${names.join(', ')}, separated by commas`,
      });
      return z.NEVER;
    })
    .optional()
    .meta({ type: 'array', items: { enum: names } });

/** Maximum number of rows on a page. */
export const MAX_LIMIT = 1000;
const DEFAULT_LIMIT = 100;
const ROWS_OF_PAGE = 'The maximum number of rows of a page';
const SIZE_OF_PAGE = 'A page that reaches 8 MiB, or takes half a second of computing, has fewer rows.';
const LIMIT_FORM = `must be a whole number from 1 to ${MAX_LIMIT}`;

/** The query parameter for the number of rows of a page. */
export const limitParameter = z
  .string()
  .regex(/^\d{1,4}$/, { abort: true, error: LIMIT_FORM })
  .transform(Number)
  .refine((value) => value >= 1 && value <= MAX_LIMIT, LIMIT_FORM)
  .meta({
    description: `${ROWS_OF_PAGE}. ${SIZE_OF_PAGE}`,
    type: 'integer',
    minimum: 1,
    maximum: MAX_LIMIT,
    examples: [DEFAULT_LIMIT],
  });

/** The number of rows of a page, in a body. */
export const limitIn = z
  .int(LIMIT_FORM)
  .min(1, LIMIT_FORM)
  .max(MAX_LIMIT, LIMIT_FORM)
  .optional()
  .meta({
    description: `${ROWS_OF_PAGE}. ${SIZE_OF_PAGE}`,
    examples: [DEFAULT_LIMIT],
  });

/** The query parameter for the start of a page: the `X-Next-Cursor` of the previous page. */
export const cursorParameter = text(2000).meta({
  description: 'The `X-Next-Cursor` of the previous page. Send the same filters again.',
  examples: ['AbC'],
});

/** The query parameters of a list that is always sent in pages. */
export const pageQuery = {
  limit: limitParameter
    .default(DEFAULT_LIMIT)
    .describe(`${ROWS_OF_PAGE}, ${DEFAULT_LIMIT} by default. ${SIZE_OF_PAGE}`),
  cursor: cursorParameter.optional(),
};

/** Maximum number of ids in `_ids`. */
const MAX_IDS = 200;
const EXAMPLE_IDS = ['01JB0000000000000000PAT1E0', '01JB0000000000000000PAT2E0'];

/** The query parameter `_ids`: ids, separated by commas. */
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
    description: 'Only records with these ids, separated by commas. Unknown ids are ignored.',
    type: 'array',
    items: { type: 'string' },
    maxItems: MAX_IDS,
    examples: [EXAMPLE_IDS],
  });

/** The same ids in a body. */
export const idsIn = z
  .array(id)
  .max(MAX_IDS, `must have at most ${MAX_IDS} ids`)
  .optional()
  .meta({
    description: 'Only records with these ids. Unknown ids are ignored.',
    examples: [EXAMPLE_IDS],
  });

export const queryLimits: readonly ResourceLimit[] = [
  {
    id: 'ids',
    part: 'Reading',
    resource: 'Ids in the filter `_ids`',
    value: MAX_IDS,
    unit: 'ids',
    beyond: '400 ValidationError',
    metric: 'chairside_api_refusals_total',
  },
];
