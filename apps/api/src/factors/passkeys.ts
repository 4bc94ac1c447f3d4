import { isIP } from 'node:net';
import {
  conflict,
  type PasskeyAssertion,
  type PasskeyRegistration,
  type PasskeysOff,
} from '@chairside/domain';
import type { KnownPasskey, NewPasskeyKey } from '@chairside/mongodb';
import {
  generateAuthenticationOptions,
  generateRegistrationOptions,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server';
import { COSEALG, decodeAttestationObject } from '@simplewebauthn/server/helpers';

/** How long a browser waits for the person, in milliseconds. The challenge lives as long. */
const TIMEOUT_MS = 5 * 60_000;
const NAME = 'Chairside';

const bytesOf = (base64url: string): Uint8Array<ArrayBuffer> =>
  new Uint8Array(Buffer.from(base64url, 'base64url'));

/**
 * The algorithms of passkeys. Every Node.js that runs the service verifies them, so a passkey works after the service has moved
 * to another one.
 */
const SUPPORTED_ALGORITHMS = [COSEALG.EdDSA, COSEALG.ES256, COSEALG.RS256];

/** The most bytes of the key of a passkey. One of RSA with 4,096 bits has 540. */
const MAX_PUBLIC_KEY_BYTES = 1024;

/**
 * Whether an attestation names no maker, as `attestation: 'none'` has it (WebAuthn Level 3, 5.4.7): there is none, or the
 * passkey has signed itself. Any other has certificates of the caller's choice. To check them costs as much as their number
 * squared, and requests to addresses in them.
 */
const isWithoutMaker = (attestationObject: string): boolean => {
  const attestation = decodeAttestationObject(bytesOf(attestationObject));
  const format = attestation.get('fmt');
  return format === 'none' || (format === 'packed' && attestation.get('attStmt').get('x5c') === undefined);
};

/** Options for `navigator.credentials`, as JSON. */
export type PasskeyOptions = Record<string, unknown>;

/** Passkeys of the dashboard's name (WebAuthn Level 3). */
export type Passkeys = {
  /** Why none can be used; undefined if they can. */
  off: PasskeysOff | undefined;
  /** What a browser needs to create a passkey. @param existing the credential ids that it must not create again */
  creationOptions(
    challenge: string,
    operator: { _id: string; email: string },
    existing: readonly string[],
  ): Promise<PasskeyOptions>;
  /** What a browser needs to answer a challenge with any passkey of this dashboard. */
  requestOptions(challenge: string): Promise<PasskeyOptions>;
  /** The challenge that a new passkey was created with; undefined if it cannot be read. */
  challengeOf(credential: Pick<PasskeyRegistration, 'response'>): string | undefined;
  /** @returns undefined if the credential was not created for this challenge on this dashboard, by a verified person */
  verifyNew(credential: PasskeyRegistration, challenge: string): Promise<NewPasskeyKey | undefined>;
  /** @returns the counter of the authenticator; undefined if the answer is wrong */
  verify(assertion: PasskeyAssertion, challenge: string, passkey: KnownPasskey): Promise<number | undefined>;
};

const REASONS: Readonly<Record<PasskeysOff, string>> = {
  no_dashboard: 'this service has no dashboard (DASHBOARD_URL)',
  ip_address: 'the address of the dashboard is an IP address, and passkeys belong to a name',
  insecure: 'the address of the dashboard is neither HTTPS nor localhost',
};

/** @throws {Refusal} Conflict if passkeys cannot be used */
export const requirePasskeys = ({ off }: Pick<Passkeys, 'off'>): void => {
  if (off === undefined) return;
  throw conflict('passkeys_off', `Passkeys cannot be used: ${REASONS[off]}. Use codes of an app instead.`);
};

const offFor = (url: URL | undefined): PasskeysOff | undefined => {
  if (url === undefined) return 'no_dashboard';
  if (isIP(url.hostname.replace(/^\[|\]$/g, '')) !== 0) return 'ip_address';
  const isSecure = url.protocol === 'https:' || url.hostname === 'localhost';
  return isSecure ? undefined : 'insecure';
};

/** The operator whom the answer of a passkey names; undefined if it names none. */
export const operatorIdIn = ({
  response: { userHandle },
}: Pick<PasskeyAssertion, 'response'>): string | undefined =>
  userHandle ? Buffer.from(userHandle, 'base64url').toString('utf8') : undefined;

/** @param dashboardUrl the address of the dashboard. Its host is the relying party, and its origin is the only one */
export const openPasskeys = (dashboardUrl: string | undefined): Passkeys => {
  const url = dashboardUrl === undefined ? undefined : new URL(dashboardUrl);
  const [rpID, expectedOrigin] = [url?.hostname ?? '', url?.origin ?? ''];
  return {
    off: offFor(url),

    creationOptions: async (challenge, { _id, email }, existing) => ({
      ...(await generateRegistrationOptions({
        rpName: NAME,
        rpID,
        userID: new Uint8Array(Buffer.from(_id, 'utf8')),
        userName: email,
        challenge: bytesOf(challenge),
        timeout: TIMEOUT_MS,
        attestationType: 'none',
        supportedAlgorithmIDs: SUPPORTED_ALGORITHMS,
        excludeCredentials: existing.map((id) => ({ id })),
        authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      })),
    }),

    requestOptions: async (challenge) => ({
      ...(await generateAuthenticationOptions({
        rpID,
        challenge: bytesOf(challenge),
        timeout: TIMEOUT_MS,
        userVerification: 'required',
      })),
    }),

    challengeOf({ response }) {
      try {
        const { challenge } = JSON.parse(Buffer.from(response.clientDataJSON, 'base64url').toString('utf8'));
        return typeof challenge === 'string' ? challenge : undefined;
      } catch {
        return undefined;
      }
    },

    async verifyNew(credential, expectedChallenge) {
      const verify = async () =>
        isWithoutMaker(credential.response.attestationObject)
          ? await verifyRegistrationResponse({
              response: credential as never,
              expectedChallenge,
              expectedOrigin,
              expectedRPID: rpID,
              requireUserVerification: true,
              supportedAlgorithmIDs: SUPPORTED_ALGORITHMS,
            })
          : undefined;
      const verified = await verify().catch(() => undefined);
      if (!verified?.verified) return undefined;
      const { id, publicKey, counter } = verified.registrationInfo.credential;
      if (id !== credential.id || publicKey.length > MAX_PUBLIC_KEY_BYTES) return undefined;
      return {
        credentialId: id,
        publicKey,
        counter,
        transports: credential.response.transports,
      };
    },

    async verify(assertion, expectedChallenge, { credentialId, publicKey, counter }) {
      const verified = await verifyAuthenticationResponse({
        response: assertion as never,
        expectedChallenge,
        expectedOrigin,
        expectedRPID: rpID,
        credential: { id: credentialId, publicKey, counter },
        requireUserVerification: true,
      }).catch(() => undefined);
      return verified?.verified ? verified.authenticationInfo.newCounter : undefined;
    },
  };
};
