import { expect, test } from 'vitest';
import type { Authorization } from './authorization.ts';
import { clientDocumentAttacks } from './client-document-attacks.ts';
import { introspectionAttacks } from './introspection-attacks.ts';
import { networkAttacks } from './network-attacks.ts';
import { authorization, secrets, setUpAttacks } from './oauth-attack-set-up.ts';
import { redirectAttacks } from './redirect-attacks.ts';
import { tokenAttacks } from './token-attacks.ts';

/**
 * The attacks on the authorization server, each with its test. They are a part of oauth.long.test.ts, because the start of
 * the product takes longer than most of them.
 *
 * @param started returns the product, once it is started
 */
export const attacks = (started: () => Authorization): void => {
  setUpAttacks(started);
  redirectAttacks();
  tokenAttacks();
  clientDocumentAttacks();
  networkAttacks();
  introspectionAttacks();

  test('no log has a token, a code, a secret or a key', () => {
    const log = authorization.lines.join('');
    expect(authorization.lines.length).toBeGreaterThan(100);
    expect(secrets.size).toBeGreaterThan(20);
    for (const secret of secrets) expect(log).not.toContain(secret);
    expect(log).not.toContain(authorization.service.practice.administrator.token);
  });
};
