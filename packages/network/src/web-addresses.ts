const LOOPBACK_HOSTS: readonly string[] = ['127.0.0.1', '[::1]', 'localhost'];

/** Whether this host name, as `URL.hostname` returns it, is 127.0.0.1, ::1 or localhost. */
export const isLoopbackHost = (hostname: string): boolean => LOOPBACK_HOSTS.includes(hostname);

/** Whether this is the origin of a web address: scheme, host and port, without a trailing slash. */
export const isOrigin = (value: string): boolean => {
  const url = URL.parse(value);
  return url !== null && /^https?:$/.test(url.protocol) && url.origin === value;
};

/**
 * Checks that a public address uses https, unless it is a loopback address. TLS is required, because cookies,
 * authorization codes and access tokens are sent to these addresses.
 *
 * @param example an address of this machine, for the error message
 */
const checkSafe = (value: string, example: string): void => {
  const { protocol, hostname } = new URL(value);
  if (protocol === 'https:' || (protocol === 'http:' && isLoopbackHost(hostname))) return;
  throw new RangeError(
    `must start with https://. Only an address of this machine, such as ${example}, may use http`,
  );
};

/**
 * Checks the origin under which browsers reach the dashboard.
 *
 * @throws {RangeError} whose message says what the origin must be, without quoting the value
 */
export const checkPublicOrigin = (value: string): void => {
  if (!isOrigin(value))
    throw new RangeError(
      'must be an origin such as https://dashboard.example.com, without a path and without a slash at the end',
    );
  checkSafe(value, 'http://127.0.0.1:3004');
};

/**
 * Whether this is a valid address of the connector. Clients compare the address byte for byte, so only the exact form
 * that people enter is accepted.
 */
const isConnectorUrl = (value: string): boolean => {
  const { origin, pathname } = URL.parse(value) ?? {};
  return pathname !== undefined && value === origin + pathname && /^(\/[\w.~-]+)*\/mcp$/.test(pathname);
};

/**
 * Checks the address of the connector as people enter it in their apps. The dashboard puts it into access tokens, and
 * the connector accepts tokens for this address only, so both use this check.
 *
 * @throws {RangeError} whose message says what the address must be, without quoting the value
 */
export const checkConnectorUrl = (value: string): void => {
  if (!isConnectorUrl(value))
    throw new RangeError('must be an address such as https://mcp.example.com/mcp, which ends with /mcp');
  checkSafe(value, 'http://127.0.0.1:3007/mcp');
};
