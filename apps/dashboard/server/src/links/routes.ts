import type { App, Dependencies } from '../context.ts';
import { callerOf, pass } from '../http/caller.ts';

/** The routes of the api that operators need before they can sign in, and that return no access token. */
const ROUTES = [
  ['GET', '/api/passwordresets'],
  ['POST', '/api/passwordresets'],
  ['POST', '/api/passwordresets/complete'],
  ['POST', '/api/invitations/complete'],
  ['POST', '/api/sessions/passkey'],
] as const;

export const linkUrls: readonly string[] = ROUTES.map(([, url]) => url);

/**
 * Sends the requests of mailed links to the api, without the cookie: whoever has the link may use it, also in a browser
 * in which somebody else is signed in.
 */
export const linkRoutes = (app: App, { api }: Dependencies): void => {
  for (const [method, url] of ROUTES)
    app.route({
      method,
      url,
      async handler(request, reply) {
        const { body } = request;
        // The body is dropped before the api responds, as at a sign-in.
        request.body = undefined;
        return pass(reply, await api.open(callerOf(request), method, url, body));
      },
    });
};
