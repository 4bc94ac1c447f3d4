import { createECDH, createHash, hkdfSync } from 'node:crypto';

/** The secrets of the authorization server. Each is derived from a key of OAUTH_KEYS for one purpose. */
export type OAuthKeys = {
  /**
   * The encryption keys for stored data, as `id:base64,…`. The first key encrypts. The ids are fingerprints of the
   * keys, not the ids of OAUTH_KEYS.
   */
  storage: string;
  /** The first key signs cookies; all keys verify them. */
  cookies: string[];
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

const BYTES = 32;
/** The length of a fingerprint, in characters of base64url: 96 bits. */
const FINGERPRINT_LENGTH = 16;
/**
 * Maximum number of derivations of a signing key. A private key must not be zero, and must be below the order of the
 * curve. About one derivation in 2³² yields no valid key.
 */
const MAX_TRIES = 4;

const derive = (key: Buffer, purpose: string): Buffer =>
  Buffer.from(hkdfSync('sha256', key, Buffer.alloc(0), `chairside oauth ${purpose}`, BYTES));

/**
 * Derives a private key of the curve P-256. In the rare case that a derivation yields no valid key, the next one is
 * tried.
 */
const signingKey = (key: Buffer): OAuthKeys['signing'][number] => {
  for (let attempt = 0; attempt < MAX_TRIES; attempt++) {
    const d = derive(key, `signing ${attempt}`);
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
  throw new Error('no signing key can be derived from OAUTH_KEYS');
};

/**
 * Returns the encryption key for stored data as `id:base64`. The id is a fingerprint of the key. If a key is replaced
 * under the same id of OAUTH_KEYS, data of the old key therefore counts as encrypted with an unknown key, not as
 * damaged.
 */
const storageKey = (key: Buffer): string => {
  const derived = derive(key, 'storage');
  const id = createHash('sha256').update(derived).digest('base64url').slice(0, FINGERPRINT_LENGTH);
  return `${id}:${derived.toString('base64')}`;
};

/** @param keys the value of OAUTH_KEYS, which the settings have validated */
export const oauthKeysOf = (keys: string): OAuthKeys => {
  const entries = keys.split(',').map((entry) => Buffer.from(entry.slice(entry.indexOf(':') + 1), 'base64'));
  return {
    storage: entries.map(storageKey).join(','),
    cookies: entries.map((key) => derive(key, 'cookies').toString('base64url')),
    signing: entries.map(signingKey),
  };
};
