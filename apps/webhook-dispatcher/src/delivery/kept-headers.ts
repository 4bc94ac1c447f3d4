import { keptHeaders, MAX_HEADER_LENGTH, type ResponseHeaders, responseText } from '@chairside/domain';

const textOf = (value: string): string => responseText(Buffer.from(value)).slice(0, MAX_HEADER_LENGTH);

/**
 * The target of a redirect: origin and path. A query and a fragment are replaced by `?…`, because they may contain
 * credentials. Returns undefined if it is no URL of a web server.
 *
 * @param location the header `Location`, which may be relative to the URL of the request (RFC 9110, 10.2.2)
 */
const targetOf = (location: string, requestUrl: string): string | undefined => {
  if (!URL.canParse(location, requestUrl)) return undefined;
  const { protocol, origin, pathname, search, hash } = new URL(location, requestUrl);
  if (!/^https?:$/.test(protocol)) return undefined;
  return `${origin}${pathname}${search + hash === '' ? '' : '?…'}`;
};

const keptValue = (
  name: (typeof keptHeaders)[number],
  value: string,
  requestUrl: string,
): string | undefined => {
  if (name === 'location') return targetOf(value, requestUrl);
  // A challenge may contain a nonce. The scheme comes first (RFC 9110, 11.6.1).
  if (name === 'www-authenticate') return /^[\w-]+/.exec(value)?.[0];
  return value;
};

/**
 * The headers of a response that a delivery keeps.
 *
 * @param headers names in lower case; a header that occurs more than once has a list of values, of which the first is kept
 * @param requestUrl the URL of the request
 */
export const keptHeadersOf = (
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
  requestUrl: string,
): ResponseHeaders =>
  Object.fromEntries(
    keptHeaders.flatMap((name) => {
      const [first] = [headers[name]].flat();
      const value = first === undefined ? undefined : keptValue(name, String(first), requestUrl);
      return value === undefined || value === '' ? [] : [[name, textOf(value)]];
    }),
  );
