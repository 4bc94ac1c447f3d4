import { isLoopbackHost } from '@chairside/network';

/**
 * The characters that a host with its port may contain. Other characters could end a directive of the content security
 * policy.
 */
const HOST = /^[a-z0-9.:[\]-]*$/i;

/** Maximum number of redirect addresses of a client. */
const MAX_REDIRECTS = 10;
const MAX_LENGTH = 2000;

/**
 * Returns the problem with a client's redirect addresses; undefined if there is none. Authorization codes may be sent
 * to https addresses, to the user's own machine, or to an app with an allowed scheme.
 *
 * @param schemes the value of OAUTH_REDIRECT_SCHEMES
 */
export const redirectProblem = (uris: readonly string[], schemes: readonly string[]): string | undefined => {
  if (uris.length > MAX_REDIRECTS) return `must have at most ${MAX_REDIRECTS} members`;
  for (const uri of uris) {
    const problem = problemOf(uri, schemes);
    if (problem !== undefined) return problem;
  }
  return undefined;
};

const problemOf = (uri: string, schemes: readonly string[]): string | undefined => {
  const url = URL.parse(uri);
  if (url === null || uri.length > MAX_LENGTH)
    return `must be absolute URLs of at most ${MAX_LENGTH} characters`;
  if (url.username !== '' || url.password !== '') return 'must not contain credentials';
  if (url.hash !== '' || uri.includes('#')) return 'must not contain fragments';
  if (!HOST.test(url.host)) return 'must have a host of letters, digits, dots and hyphens';
  if (url.protocol === 'https:') return undefined;
  if (url.protocol === 'http:' && isLoopbackHost(url.hostname)) return undefined;
  if (schemes.includes(url.protocol.slice(0, -1))) return undefined;
  return 'must start with https://, or with http:// and the address of the local machine, such as http://127.0.0.1/callback';
};

/** The redirect target of an authorization code. */
export type Redirect = {
  /** `website`, a program on the user's machine (`loopback`), or an app that a scheme opens. */
  kind: 'website' | 'loopback' | 'app';
  /** The host, with its port if there is one. For an app: the scheme and the text between `//` and the path. */
  host: string;
  /** The source expression for `form-action` (CSP 3, 2.3.1). */
  source: string;
};

/** @param uri a redirect address that was accepted */
export const redirectOf = (uri: string): Redirect => {
  const { protocol, host, hostname, origin } = new URL(uri);
  if (protocol !== 'https:' && protocol !== 'http:')
    return { kind: 'app', host: `${protocol}//${host}`, source: protocol };
  return { kind: isLoopbackHost(hostname) ? 'loopback' : 'website', host, source: origin };
};
