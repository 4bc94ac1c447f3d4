import { SignatureError } from './signature-error.ts';

/**
 * An object of headers whose names have any case, such as Node's `IncomingHttpHeaders` or the headers of a Lambda
 * event.
 *
 * @example
 * const headers: HeaderRecord = { 'X-Service-Signature': 't=1700000000,v1=...' };
 */
export type HeaderRecord = {
  readonly [name: string]:
    | string
    | readonly string[]
    | readonly { readonly key?: string; readonly value: string }[]
    | null
    | undefined;
};

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
 * `headers`, such as a fetch `Request`, a Node, Express or Fastify request, or a Lambda event. A Lambda event of a load
 * balancer may have `multiValueHeaders` instead. At Lambda@Edge, pass `event.Records[0].cf.request`.
 *
 * @example
 * const source: HeaderSource = new Request('https://example.com');
 */
export type HeaderSource =
  | HeaderLookup
  | HeaderRecord
  | {
      readonly headers?: HeaderLookup | HeaderRecord | null | undefined;
      readonly multiValueHeaders?: HeaderRecord | null | undefined;
    };

/**
 * Finds the value of `X-Service-Signature`, regardless of upper and lower case in the name. If there
 * is none, it returns `undefined`, which `verify` refuses. Several values are joined with a comma, as in HTTP, and
 * `verify` refuses them too.
 *
 * @example
 * verify({ body: await request.arrayBuffer(), header: signatureHeader(request), secret });
 */
export function signatureHeader(source: HeaderSource): string | undefined {
  return find(source, 'x-service-signature');
}

/**
 * Finds the value of `X-Service-Subscription-Id`, like {@link signatureHeader}.
 *
 * @example
 * verify({ body, header: signatureHeader(request), subscriptionId: subscriptionId(request), secret: () => secret });
 */
export function subscriptionId(source: HeaderSource): string | undefined {
  return find(source, 'x-service-subscription-id');
}

function find(source: HeaderSource, name: string): string | undefined {
  if (!isObject(source)) throw new SignatureError('bad_option', 'Pass a request or its headers.');
  const { headers, multiValueHeaders: multi } = source as { headers?: unknown; multiValueHeaders?: unknown };
  const more = isObject(multi) ? valueIn(multi, name) : undefined;
  if (isObject(headers)) return valueIn(headers, name) ?? more;
  return isObject(multi) ? more : valueIn(source, name);
}

function valueIn(headers: object, wanted: string): string | undefined {
  if (isLookup(headers)) return headers.get(wanted) ?? undefined;
  const values: unknown[] = [];
  for (const [name, value] of Object.entries(headers)) {
    if (name.toLowerCase() !== wanted || value === undefined || value === null) continue;
    // Lambda@Edge has a list of objects for each name.
    if (Array.isArray(value)) values.push(...value.map((each) => (isObject(each) ? each.value : each)));
    else values.push(value);
  }
  return values.length === 0 ? undefined : values.join(',');
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isLookup(headers: object): headers is HeaderLookup {
  return 'get' in headers && typeof headers.get === 'function';
}
