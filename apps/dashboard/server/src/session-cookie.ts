import { Refusal } from '@chairside/domain';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** The cookie that holds the access token of a signed-in operator. */
export type SessionCookie = {
  /** The access token; undefined if nobody is signed in. */
  tokenOf(request: FastifyRequest): string | undefined;
  /** The access token. @throws {Refusal} 401 if nobody is signed in */
  requiredTokenOf(request: FastifyRequest): string;
  set(reply: FastifyReply, token: string): void;
  clear(reply: FastifyReply): void;
};

/** The form of an access token. Anything else in the cookie is no token and is never sent to the api. */
const TOKEN = /^[\w.~+/-]{1,200}$/;

/**
 * Over https, the prefix `__Host-` makes browsers refuse a cookie of this name that another host or path has set (RFC
 * 6265bis, 4.1.3.2). Over http on a loopback address, browsers do not accept the prefix, and some do not accept
 * `Secure`. The cookie has no `Max-Age`: it ends with the browser's session, and the api ends the token after at most
 * 12 hours.
 *
 * @param publicUrl the origin of the dashboard
 */
export const createSessionCookie = (publicUrl: string): SessionCookie => {
  const secure = publicUrl.startsWith('https://');
  const name = secure ? '__Host-chairside' : 'chairside';
  const options = { path: '/', httpOnly: true, sameSite: 'lax', secure } as const;
  const tokenOf = ({ cookies }: FastifyRequest) => {
    const value = cookies[name];
    return value !== undefined && TOKEN.test(value) ? value : undefined;
  };
  return {
    tokenOf,
    requiredTokenOf(request) {
      const token = tokenOf(request);
      if (token === undefined) throw new Refusal('Unauthorized', 'You are not signed in. Sign in first.');
      return token;
    },
    set: (reply, token) => void reply.setCookie(name, token, options),
    clear: (reply) => void reply.clearCookie(name, options),
  };
};
