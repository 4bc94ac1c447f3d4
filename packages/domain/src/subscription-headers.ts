import { z } from 'zod';
import type { ResourceLimit } from './resource-limit.ts';

/** Maximum number of fixed headers of a subscription. */
export const MAX_FIXED_HEADERS = 10;
/** Maximum length of the name, and of the value, of a fixed header, in bytes. */
export const MAX_FIXED_HEADER_BYTES = 1024;
/** What responses show instead of the value of a fixed header. If it is sent back, the header keeps its value. */
export const HIDDEN_VALUE = '********';

/** The longest part of a refused name that the refusal shows, in characters. */
const MAX_SHOWN_NAME = 64;

/** The fixed headers of a subscription: values by name. */
export type FixedHeaders = Readonly<Record<string, string>>;

/** A token (RFC 9110, 5.6.2). */
const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** Visible ASCII with blanks inside (RFC 9110, 5.5). */
const VALUE = /^[!-~](?:[\t -~]*[!-~])?$/;
/**
 * Names that the service sets itself, that belong to one connection (RFC 9110, 7.6.1), or that decide to which server a
 * request goes or how its body is read.
 */
const RESERVED =
  /^(?:content-.*|user-agent|x-service-.*|webhook-.*|host|expect|connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|http2-settings)$/i;

const nameProblem = (name: string): string | undefined => {
  if (!NAME.test(name) || name.length > MAX_FIXED_HEADER_BYTES)
    return `must have a name of 1 to ${MAX_FIXED_HEADER_BYTES} letters, digits and characters of !#$%&'*+-.^_\`|~`;
  return RESERVED.test(name)
    ? 'must have another name: the service sets this header itself, or it belongs to the connection; use one of your own, such as Authorization or X-Api-Key'
    : undefined;
};

const value = z
  .string({ error: 'must be a string' })
  .max(MAX_FIXED_HEADER_BYTES, `must have at most ${MAX_FIXED_HEADER_BYTES} bytes`)
  .regex(VALUE, 'must have 1 or more visible ASCII characters, with blanks only between them')
  .refine(
    (text) => text === HIDDEN_VALUE || !/^\*+$/.test(text),
    `must not be only asterisks; ${HIDDEN_VALUE} keeps the stored value`,
  );

const description = `Fixed headers of each request to the receiver, such as \`Authorization\`: names and values, at most ${MAX_FIXED_HEADERS}. The values are stored encrypted. Responses show \`${HIDDEN_VALUE}\` instead of each.`;

const REFUSED =
  'Refused are `Content-*`, `User-Agent`, `X-Service-*`, `webhook-*`, `Host` and the headers of the connection. While a subscription has any, only the status and a code of its responses are kept.';
/** How the headers of a request refer to those that are stored. */
export const KEPT_HEADERS = `A header that is sent with \`${HIDDEN_VALUE}\` keeps its value; \`{}\` removes all. A URL of another origin (scheme, host, port) loses them, unless they are sent in the same request with their values.`;

/** The fixed headers in a response. */
export const shownHeaders = z
  .record(z.string(), z.string())
  .meta({ description, examples: [{ Authorization: HIDDEN_VALUE }] });

/** The fixed headers in a request. */
export const sentHeaders = z
  .record(z.string(), value, { error: 'must be an object of header names and values' })
  .superRefine((headers, context) => {
    const names = Object.keys(headers);
    if (names.length > MAX_FIXED_HEADERS) {
      const message = `must have at most ${MAX_FIXED_HEADERS} headers`;
      context.addIssue({ code: 'custom', message, params: { code: 'too_large' } });
      return;
    }
    const seen = new Set<string>();
    for (const name of names) {
      const isRepeated = seen.has(name.toLowerCase());
      seen.add(name.toLowerCase());
      const message =
        nameProblem(name) ?? (isRepeated ? 'must differ from the other names in more than case' : undefined);
      if (message !== undefined)
        context.addIssue({ code: 'custom', message, path: [name.slice(0, MAX_SHOWN_NAME)] });
    }
  })
  .meta({
    description: `${description} ${REFUSED}`,
    examples: [{ Authorization: 'Bearer of-the-receiver' }],
    maxProperties: MAX_FIXED_HEADERS,
  });

const valueOfName = (headers: FixedHeaders, name: string): string | undefined =>
  Object.entries(headers).find(([known]) => known.toLowerCase() === name.toLowerCase())?.[1];

/** Whether two URLs have the same scheme, host and port. Another origin does not get the values of fixed headers. */
export const isSameOrigin = (one: string, other: string): boolean =>
  URL.canParse(one) && URL.canParse(other) && new URL(one).origin === new URL(other).origin;

/**
 * The fixed headers of a subscription after a change.
 *
 * @param kept the headers until now, with their values, of the same origin; none if the origin is new
 * @param sent the headers of the request; undefined if it has none
 */
export const headersAfter = (kept: FixedHeaders, sent: FixedHeaders | undefined): FixedHeaders =>
  sent === undefined
    ? kept
    : Object.fromEntries(
        Object.entries(sent).flatMap(([name, text]) => {
          const after = text === HIDDEN_VALUE ? valueOfName(kept, name) : text;
          return after === undefined ? [] : [[name, after]];
        }),
      );

/**
 * The names among `sent` that are to keep a value which is not stored.
 *
 * @param known the headers until now; the values do not matter
 */
export const unknownHeaders = (known: FixedHeaders, sent: FixedHeaders | undefined): string[] =>
  Object.entries(sent ?? {}).flatMap(([name, text]) =>
    text === HIDDEN_VALUE && valueOfName(known, name) === undefined ? [name] : [],
  );

export const fixedHeaderLimits: readonly ResourceLimit[] = [
  {
    id: 'fixed_headers',
    part: 'Webhooks',
    resource: 'Fixed headers of one subscription',
    value: MAX_FIXED_HEADERS,
    unit: 'headers',
    beyond: '400 ValidationError',
    metric: 'chairside_api_refusals_total',
  },
  {
    id: 'fixed_header_bytes',
    part: 'Webhooks',
    resource: 'Name, or value, of a fixed header',
    value: MAX_FIXED_HEADER_BYTES / 1024,
    unit: 'KiB',
    beyond: '400 ValidationError',
    metric: 'chairside_api_refusals_total',
  },
];
