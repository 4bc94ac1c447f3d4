import type { Browser } from '@chairside/test-support';
import type * as oauth4webapi from 'oauth4webapi';
import { beforeAll } from 'vitest';
import type { Authorization } from './authorization.ts';

/** The product, once it is started. */
export let authorization: Authorization;
/** An app that has registered itself. */
export let client: oauth4webapi.Client;
/** The browser of an administrator who is signed in. */
export let browser: Browser;
/** The texts that no log may contain. */
export const secrets = new Set<string>();

/**
 * Registers the set-up that all attacks share, because it takes longer than most of them.
 *
 * @param started returns the product, once it is started
 */
export const setUpAttacks = (started: () => Authorization): void => {
  beforeAll(async () => {
    authorization = started();
    client = await authorization.register();
    browser = authorization.browser();
    await browser.signIn(authorization.service.practice.administrator);
    for (const secret of authorization.secrets) secrets.add(secret);
    for (const key of authorization.config.OAUTH_KEYS.split(',')) secrets.add(key.slice(2));
  });
};

/** Grants a code to an app. Returns the redirect with the code, and the request that asked for it. */
export const grantCode = async (of = client) => {
  const started = await authorization.start(browser, of);
  const response = await authorization.decide(browser, started.uid, 'allow');
  secrets.add(response.searchParams.get('code') ?? '').add(started.verifier);
  return { response, started };
};

export const tokensOf = async (response: Response) => {
  const tokens = (await response.json()) as { access_token: string; refresh_token: string };
  secrets.add(tokens.access_token).add(tokens.refresh_token);
  return tokens;
};

export const connect = async () => {
  const { response, started } = await grantCode();
  return tokensOf(await authorization.exchange(client, response, started));
};

export const registration = async (metadata: object, headers: Record<string, string> = {}) =>
  fetch(authorization.as.registration_endpoint ?? '', {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-forwarded-for': authorization.browser().address,
      ...headers,
    },
    body: JSON.stringify(metadata),
  });

export const token = (parameters: Record<string, string>, headers: Record<string, string> = {}) =>
  fetch(authorization.as.token_endpoint ?? '', {
    method: 'POST',
    headers,
    body: new URLSearchParams(parameters),
  });
