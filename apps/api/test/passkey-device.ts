import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

/*
 * An authenticator in software (WebAuthn Level 3, 6.1), which creates passkeys and answers with them, as a phone does. Tests
 * of pages use the virtual authenticator of Chromium instead.
 */

/** The head of a CBOR item (RFC 8949, 3): its major type and its argument. */
const head = (type: number, count: number): Buffer => {
  const major = type << 5;
  if (count < 24) return Buffer.from([major | count]);
  if (count < 256) return Buffer.from([major | 24, count]);
  return Buffer.from([major | 25, count >> 8, count & 0xff]);
};
const integer = (value: number): Buffer => (value < 0 ? head(1, -1 - value) : head(0, value));
const bytes = (value: Buffer): Buffer => Buffer.concat([head(2, value.length), value]);
const text = (value: string): Buffer => Buffer.concat([head(3, value.length), Buffer.from(value)]);
const array = (...items: Buffer[]): Buffer => Buffer.concat([head(4, items.length), ...items]);
const map = (...entries: Buffer[]): Buffer => Buffer.concat([head(5, entries.length / 2), ...entries]);

const sha256 = (data: string | Buffer): Buffer => createHash('sha256').update(data).digest();
const base64url = (data: Buffer | string): string => Buffer.from(data).toString('base64url');

/** The public key as a COSE key (RFC 9053, 7.1.1): ES256. */
const coseKeyOf = (publicKey: KeyObject, padding = 0): Buffer => {
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  const coordinate = (value: string) => bytes(Buffer.from(value, 'base64url'));
  const [kty, alg, crv] = [integer(2), integer(-7), integer(1)];
  return map(
    ...[integer(1), kty, integer(3), alg, integer(-1), crv],
    ...[integer(-2), coordinate(x), integer(-3), coordinate(y)],
    ...(padding > 0 ? [integer(-4), bytes(Buffer.alloc(padding))] : []),
  );
};

export type Deviations = {
  origin?: string;
  rpId?: string;
  challenge?: string;
  /** Whether the person was verified. */
  isVerified?: boolean;
  counter?: number;
  userHandle?: string;
  /** Who has signed a new passkey: nobody, the passkey itself, or the maker with this certificate. */
  attestation?: 'none' | 'self' | Maker;
  /** A further entry of the new key, as long as this. */
  padding?: number;
};
/** The RSA key of a maker, as PEM, and its certificate, as DER. */
export type Maker = { key: string; certificate: Buffer };

/** A phone with one passkey. */
export class PasskeyDevice {
  readonly credentialId = base64url(randomBytes(16));
  readonly #keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  readonly #origin: string;
  #counter: number;
  #userHandle = '';

  /** @param counter the signatures so far; 0 for an authenticator that does not count */
  constructor(origin: string, counter = 0) {
    this.#origin = origin;
    this.#counter = counter;
  }

  /** What `navigator.credentials.create` returns, as JSON. */
  create(options: any, deviations: Deviations = {}) {
    this.#userHandle = options.user.id;
    const id = Buffer.from(this.credentialId, 'base64url');
    const length = Buffer.from([id.length >> 8, id.length & 0xff]);
    const key = coseKeyOf(this.#keys.publicKey, deviations.padding);
    const attested = Buffer.concat([Buffer.alloc(16), length, id, key]);
    const authData = Buffer.concat([this.#authData(options.rp.id, 0x40, deviations), attested]);
    const clientData = this.#clientData('webauthn.create', options.challenge, deviations);
    const [format, statement] = this.#attested(
      deviations.attestation,
      Buffer.concat([authData, sha256(clientData)]),
    );
    const attestationObject = map(
      ...[text('fmt'), text(format), text('attStmt'), statement],
      ...[text('authData'), bytes(authData)],
    );
    return {
      ...this.#credential(),
      response: {
        clientDataJSON: base64url(clientData),
        attestationObject: base64url(attestationObject),
        transports: ['internal'],
      },
    };
  }

  /** What `navigator.credentials.get` returns, as JSON. */
  answer(challenge: string, rpId: string, deviations: Deviations = {}) {
    if (this.#counter > 0) this.#counter++;
    const clientData = this.#clientData('webauthn.get', challenge, deviations);
    const authData = this.#authData(rpId, 0, deviations);
    const signed = Buffer.concat([authData, sha256(clientData)]);
    return {
      ...this.#credential(),
      response: {
        clientDataJSON: base64url(clientData),
        authenticatorData: base64url(authData),
        signature: base64url(sign('sha256', signed, this.#keys.privateKey)),
        userHandle: deviations.userHandle ?? this.#userHandle,
      },
    };
  }

  #credential() {
    const { credentialId: id } = this;
    return { id, rawId: id, type: 'public-key' as const, clientExtensionResults: {} };
  }

  /** The format of an attestation, and its statement (WebAuthn Level 3, 8). */
  #attested(attestation: Deviations['attestation'] = 'none', signed: Buffer): [format: string, Buffer] {
    if (attestation === 'none') return ['none', map()];
    const [alg, key] =
      attestation === 'self' ? [-7, this.#keys.privateKey] : ([-257, attestation.key] as const);
    const signature = [text('alg'), integer(alg), text('sig'), bytes(sign('sha256', signed, key))];
    const chain = attestation === 'self' ? [] : [text('x5c'), array(bytes(attestation.certificate))];
    return ['packed', map(...signature, ...chain)];
  }

  #clientData(type: string, challenge: string, given: Deviations): string {
    const { origin = this.#origin, challenge: answered = challenge } = given;
    return JSON.stringify({ type, challenge: answered, origin, crossOrigin: false });
  }

  #authData(
    rpId: string,
    flags: number,
    { rpId: other = rpId, isVerified = true, counter = this.#counter }: Deviations,
  ) {
    const count = Buffer.alloc(4);
    count.writeUInt32BE(counter);
    // The person is present, and verified.
    return Buffer.concat([sha256(other), Buffer.from([0x01 | (isVerified ? 0x04 : 0) | flags]), count]);
  }
}
