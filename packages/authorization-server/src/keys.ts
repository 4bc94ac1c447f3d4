import { createECDH, createHash } from 'node:crypto';
import { ServiceError } from '@chairside/domain';
import { deriveOAuthKey, oauthStorageKeys } from '@chairside/mongodb/oauth';

/** The secrets of the authorization server. Each is derived from a key of OAUTH_KEYS for one purpose. */
export type OAuthKeys = {
  /**
   * The encryption keys for stored data, as `id:base64,…`. The first key encrypts. The ids are fingerprints of the
   * keys, not the ids of OAUTH_KEYS.
   */
  storage: string;
  /** The first key signs cookies; all keys verify them. */
  cookies: string[];
  /** The first key makes the tokens with which apps read their registration; all keys verify them. */
  registration: string[];
  /** The keys of the published key set. Clients expect a key set, although no token is signed. */
  signing: {
    kty: 'EC';
    crv: 'P-256';
    alg: 'ES256';
    use: 'sig';
    kid: string;
    d: string;
    x: string;
    y: string;
  }[];
};

/**
 * Maximum number of derivations of a signing key. A private key must not be zero, and must be below the order of the
 * curve. About one derivation in 2³² yields no valid key.
 */
const MAX_TRIES = 4;

/**
 * Derives a private key of the curve P-256. In the rare case that a derivation yields no valid key, the next one is
 * tried.
 */
const signingKey = (key: Buffer): OAuthKeys['signing'][number] => {
  for (let attempt = 0; attempt < MAX_TRIES; attempt++) {
    const d = deriveOAuthKey(key, `signing ${attempt}`);
    const pair = createECDH('prime256v1');
    try {
      pair.setPrivateKey(d);
    } catch {
      continue;
    }
    const point = pair.getPublicKey();
    const [x, y] = [point.subarray(1, 33).toString('base64url'), point.subarray(33).toString('base64url')];
    // RFC 7638, section 3 requires the members in this order, without white space.
    const kid = createHash('sha256')
      .update(JSON.stringify({ crv: 'P-256', kty: 'EC', x, y }))
      .digest('base64url');
    return { kty: 'EC', crv: 'P-256', alg: 'ES256', use: 'sig', kid, d: d.toString('base64url'), x, y };
  }
  throw new ServiceError('no signing key can be derived from OAUTH_KEYS');
};

/** @param keys the value of OAUTH_KEYS, which the settings have validated */
export const oauthKeysOf = (keys: string): OAuthKeys => {
  const entries = keys.split(',').map((entry) => Buffer.from(entry.slice(entry.indexOf(':') + 1), 'base64'));
  return {
    storage: oauthStorageKeys(keys),
    cookies: entries.map((key) => deriveOAuthKey(key, 'cookies').toString('base64url')),
    registration: entries.map((key) => deriveOAuthKey(key, 'registration').toString('base64url')),
    signing: entries.map(signingKey),
  };
};
