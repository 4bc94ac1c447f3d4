import { ServiceError } from '@chairside/domain';
/** The host and the port of a server. */
export type HostAndPort = { host: string; port: number };

/** The parts of an address that are the same for a single server, sentinels and a cluster. */
type Access = {
  username?: string;
  password?: string;
  /** Whether every connection uses TLS, including those to sentinels. */
  tls: boolean;
};

/** The address and the credentials of Redis: one server, a master behind sentinels, or a cluster. */
export type RedisAddress = Access &
  (
    | { kind: 'single'; server: HostAndPort; database: number }
    | {
        kind: 'sentinel';
        sentinels: HostAndPort[];
        master: string;
        database: number;
        sentinelUsername?: string;
        sentinelPassword?: string;
      }
    | { kind: 'cluster'; nodes: HostAndPort[] }
  );

const REDIS_PORT = 6379;
const SENTINEL_PORT = 26_379;
const FORM = /^(rediss?)(?:\+(sentinel|cluster))?:\/\/(?:([^/?#]*)@)?([^@/?#]+)(\/[^?#]*)?(\?[^#]*)?$/;
const SENTINEL_OPTIONS = ['sentinel_username', 'sentinel_password'];

const hostsIn = (list: string, defaultPort: number): HostAndPort[] =>
  list.split(',').map((entry) => {
    const url = URL.canParse(`redis://${entry}`) ? new URL(`redis://${entry}`) : undefined;
    if (url === undefined || url.hostname === '') {
      throw new ServiceError('must contain its hosts as host or host:port, separated by commas');
    }
    // Node.js expects an IPv6 address without brackets.
    return { host: url.hostname.replace(/^\[|\]$/g, ''), port: Number(url.port || defaultPort) };
  });

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new ServiceError('must have a percent-encoded user, password and path');
  }
};

const accessIn = (userInfo: string | undefined): Pick<Access, 'username' | 'password'> => {
  if (userInfo === undefined) return {};
  const colon = userInfo.indexOf(':');
  const username = decoded(colon === -1 ? userInfo : userInfo.slice(0, colon));
  const password = colon === -1 ? '' : decoded(userInfo.slice(colon + 1));
  return { ...(username !== '' && { username }), ...(password !== '' && { password }) };
};

const databaseIn = (segment: string | undefined): number => {
  if (segment === undefined || segment === '') return 0;
  if (!/^\d{1,5}$/.test(segment)) throw new ServiceError('must have a number as its database');
  return Number(segment);
};

const sentinelAccessIn = (options: URLSearchParams) => {
  const sentinelUsername = options.get('sentinel_username');
  const sentinelPassword = options.get('sentinel_password');
  return {
    ...(sentinelUsername !== null && { sentinelUsername }),
    ...(sentinelPassword !== null && { sentinelPassword }),
  };
};

/**
 * Whether the user or the password contains a character that ends them in a URL, so that an `@` follows. An `@` of a
 * sentinel's password does not count.
 */
const hasRawCredentials = (text: string): boolean => {
  const [, rest = ''] = /^rediss?(?:\+\w+)?:\/\/(.*)$/s.exec(text) ?? [];
  const [beforeOptions = ''] = rest.split(/\?(?=sentinel_)/);
  return /[/?#].*@/s.test(beforeOptions);
};

/**
 * Parses the address of Redis. The forms are those that Redis' own tools and other programs use:
 *
 * - `redis://[user:password@]host[:port][/database]`
 * - `redis+sentinel://[user:password@]host[:port],…/master[/database][?sentinel_username=…&sentinel_password=…]`
 * - `redis+cluster://[user:password@]host[:port],…`
 *
 * Replace `redis` by `rediss` for TLS.
 *
 * @throws {Error} whose message says what the address must be, and quotes nothing of it
 */
export const parseRedisUrl = (text: string): RedisAddress => {
  if (hasRawCredentials(text)) {
    throw new ServiceError(
      'must have a percent-encoded user and password: write @ as %40, : as %3A, / as %2F, ? as %3F and # as %23',
    );
  }
  const [, scheme, kind = 'single', userInfo, hosts = '', path = '', query = ''] = FORM.exec(text) ?? [];
  if (scheme === undefined) {
    throw new ServiceError(
      'must be redis://host:port, redis+sentinel://host:port,…/master or redis+cluster://host:port,…, with rediss for TLS',
    );
  }
  const options = new URLSearchParams(query);
  const known = kind === 'sentinel' ? SENTINEL_OPTIONS : [];
  if ([...options.keys()].some((name) => !known.includes(name))) {
    throw new ServiceError(
      `must not have options${known.length === 0 ? '' : ` other than ${known.join(' and ')}`}`,
    );
  }
  const access = { tls: scheme === 'rediss', ...accessIn(userInfo) };
  const segments = path.split('/').slice(1).map(decoded);

  if (kind === 'cluster') {
    if (segments.some((segment) => segment !== '' && segment !== '0')) {
      throw new ServiceError('must have no database: a cluster has only one');
    }
    return { kind, nodes: hostsIn(hosts, REDIS_PORT), ...access };
  }
  if (kind === 'sentinel') {
    const [master = '', database, ...rest] = segments;
    if (master === '' || rest.length > 0)
      throw new ServiceError('must have the name of the master as its path');
    const sentinels = hostsIn(hosts, SENTINEL_PORT);
    return {
      kind,
      sentinels,
      master,
      database: databaseIn(database),
      ...sentinelAccessIn(options),
      ...access,
    };
  }
  const [server, another] = hostsIn(hosts, REDIS_PORT);
  if (server === undefined || another !== undefined) {
    throw new ServiceError(
      'must contain one host only; for several hosts, use redis+sentinel:// or redis+cluster://',
    );
  }
  if (segments.length > 1) throw new ServiceError('must have a number as its database');
  return { kind: 'single', server, database: databaseIn(segments[0]), ...access };
};
