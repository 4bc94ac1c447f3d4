import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { oauthRoutes as routesOf } from '@chairside/authorization-server';
import type { CurrentSession } from '@chairside/domain';
import type { App, Dependencies } from '../context.ts';
import { callerOf, pass } from '../http/caller.ts';
import { withoutFrame } from '../http/document.ts';

/**
 * Registers the routes of the authorization server, which use the session of the dashboard. Registers none if the
 * connector is not configured.
 */
export const oauthRoutes = async (app: App, { api, cookie, oauth, pages }: Dependencies): Promise<void> => {
  if (oauth === undefined) return;
  await routesOf(app, oauth, {
    document: Buffer.from(withoutFrame(readFileSync(join(pages, 'index.html'), 'utf8'))),
    withoutCookies: { ignoresCookies: true },
    async sessionOf(request, reply) {
      const response = await api.currentSession(callerOf(request), cookie.requiredTokenOf(request));
      if (response.status === 200) return response.body as CurrentSession;
      if (response.status === 401) cookie.clear(reply);
      pass(reply, response);
      return undefined;
    },
  });
};
