import { SignatureError } from './signature-error.ts';

const NAME = 'x-service-signature';

/**
 * An object of headers whose names have any case, such as Node's `IncomingHttpHeaders` or the headers of a Lambda
 * event.
 *
 * @example
 * const headers: HeaderRecord = { 'X-Service-Signature': 't=1700000000,v1=...' };
 */
export type HeaderRecord = { readonly [name: string]: string | readonly string[] | null | undefined };

/**
 * A fetch `Headers`, or any other object that looks up headers regardless of case.
 *
 * @example
 * const headers: HeaderLookup = new Headers();
 */
export interface HeaderLookup {
  get(name: string): string | null | undefined;
}

/**
 * An object with headers: a fetch `Headers`, Node's `IncomingHttpHeaders`, or an object that has one of these as
 * `headers`, such as a fetch `Request`, a Node, Express or Fastify request, or a Lambda event.
 *
 * @example
 * const source: HeaderSource = new Request('https://example.com');
 */
export type HeaderSource =
  | HeaderLookup
  | HeaderRecord
  | { readonly headers: HeaderLookup | HeaderRecord | null | undefined };

/**
 * Finds the value of `X-Service-Signature`, regardless of upper and lower case in the name. If there
 * is none, it returns `undefined`, which `verify` refuses. Several values are joined with a comma, as in HTTP, and
 * `verify` refuses them too.
 *
 * @example
 * verify({ body: await request.arrayBuffer(), header: signatureHeader(request), secret });
 */
export function signatureHeader(source: HeaderSource): string | undefined {
  const headers: unknown = isObject(source) && isObject(source.headers) ? source.headers : source;
  if (!isObject(headers)) {
    throw new SignatureError('bad_option', 'signatureHeader needs a request or its headers.');
  }
  if (isLookup(headers)) return headers.get(NAME) ?? undefined;
  const values: unknown[] = [];
  for (const [name, value] of Object.entries(headers)) {
    if (name.toLowerCase() === NAME && value !== undefined && value !== null) values.push(value);
  }
  return values.length === 0 ? undefined : values.join(',');
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isLookup(headers: { get?: unknown }): headers is HeaderLookup {
  return typeof headers.get === 'function';
}
