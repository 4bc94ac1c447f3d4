import { isIP } from 'node:net';
import { type AllowedNetworks, mayDial } from './public-address.ts';
import { MAX_URL_LENGTH } from './subscription.ts';

/**
 * Checks the URL of a subscription. An IP address and `localhost` are checked here. The addresses of other host names
 * are checked when the dispatcher connects.
 *
 * @returns the problem, worded to follow the field's name; undefined if the URL is valid
 */
export const subscriptionUrlProblem = (value: string, allowed: AllowedNetworks): string | undefined => {
  if (value.length > MAX_URL_LENGTH) return `must have at most ${MAX_URL_LENGTH} characters`;
  // A parser of URLs removes or replaces these, so that two texts would be the same URL (URL Standard, 4.4).
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused.
  if (/[\s\x00-\x1f\x7f]/.test(value)) return 'must not contain white space or control characters';
  if (value.includes('\\')) return 'must not contain a backslash';
  if (/^https?:(?!\/\/[^/?#])/i.test(value))
    return 'must have the host after https://, as in https://example.com/webhooks';
  if (!URL.canParse(value)) return 'must be an absolute URL such as https://example.com/webhooks';
  const url = new URL(value);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'must start with https://';
  if (url.username !== '' || url.password !== '') return 'must not contain credentials';
  if (url.hash !== '' || value.includes('#')) return 'must not contain a fragment';
  if (url.href.length > MAX_URL_LENGTH)
    return `must have at most ${MAX_URL_LENGTH} characters when it is encoded`;
  if (url.port === '0') return 'must not have the port 0, on which no server listens';
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const address = /^(?:.+\.)?localhost\.?$/.test(host) ? '127.0.0.1' : host;
  if (isIP(address) !== 0 && !mayDial(address, 'https:', allowed)) {
    return 'must not point at a private, loopback or otherwise non-public address';
  }
  const mayBeAllowed = isIP(address) === 0 ? !allowed.none : allowed.includes(address);
  if (url.protocol === 'http:' && !mayBeAllowed) return 'must start with https://';
  return undefined;
};
