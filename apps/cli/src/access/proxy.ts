import http from 'node:http';
import { say } from '../output/stdout.ts';

/** Receivers of `listen` are on this computer, which no proxy reaches. */
const LOOPBACK = 'localhost,127.0.0.1,::1,[::1]';

/** The value of a variable in lower or upper case, as other programs read it. */
const variable = (name: string): string | undefined =>
  process.env[name] || process.env[name.toUpperCase()] || undefined;

/** Sends requests through the proxy of `HTTPS_PROXY` or `HTTP_PROXY`, except to the hosts of `NO_PROXY`. */
export const useProxy = (): void => {
  const [https_proxy, http_proxy, no_proxy] = ['https_proxy', 'http_proxy', 'no_proxy'].map(variable);
  if (https_proxy === undefined && http_proxy === undefined) return;
  // Node.js takes `*` for all hosts only if it is alone.
  const exceptions = [no_proxy ?? [], LOOPBACK].flat().join(',');
  if (exceptions.split(/[\s,]+/).includes('*')) return;
  // The function is newer than the oldest Node.js that this program runs on.
  if (typeof http.setGlobalProxyFromEnv === 'function')
    http.setGlobalProxyFromEnv({
      ...(https_proxy !== undefined && { https_proxy }),
      ...(http_proxy !== undefined && { http_proxy }),
      no_proxy: exceptions,
    });
  else if (process.env.NODE_USE_ENV_PROXY !== '1')
    say(
      'HTTPS_PROXY and HTTP_PROXY are ignored: use Node.js 24.14 or later, or set NODE_USE_ENV_PROXY=1 with Node.js 22.21 or later.',
    );
};
