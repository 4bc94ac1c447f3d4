import { X509Certificate } from 'node:crypto';
import { generate } from 'selfsigned';
import { expect, test } from 'vitest';
import { type Deviations, PasskeyDevice } from '../../test/passkey-device.ts';
import { openPasskeys } from './passkeys.ts';

const ORIGIN = 'https://dashboard.example.com';
const CHALLENGE = Buffer.from('challenge').toString('base64url');
const passkeys = openPasskeys(`${ORIGIN}/`);

const create = async (deviations: Deviations) => {
  const options = await passkeys.creationOptions(CHALLENGE, { _id: 'operator', email: 'a@example.com' }, []);
  return new PasskeyDevice(ORIGIN).create(options, deviations);
};
/** A maker with a certificate as authenticators have it (WebAuthn Level 3, 8.2.1). */
const newMaker = async () => {
  const subject = { commonName: 'x', countryName: 'DE', organizationName: 'x' };
  const names = Object.entries(subject).map(([name, value]) => ({ name, value }));
  const { private: key, cert } = await generate(
    [...names, { shortName: 'OU', value: 'Authenticator Attestation' }],
    { keySize: 2048, algorithm: 'sha256', extensions: [{ name: 'basicConstraints', cA: false }] },
  );
  return { key, certificate: new X509Certificate(cert).raw };
};

test.each(['none', 'self'] as const)('a passkey with the attestation %s is taken', async (attestation) => {
  const credential = await create({ attestation });
  expect(await passkeys.verifyNew(credential, CHALLENGE)).toMatchObject({ credentialId: credential.id });
});

test('no certificate of a caller is examined: whoever made it, and whatever addresses it has', async () => {
  const attestation = await newMaker();
  expect(await passkeys.verifyNew(await create({ attestation }), CHALLENGE)).toBeUndefined();
});

test('a browser is asked for algorithms that every Node.js verifies', async () => {
  const options = await passkeys.creationOptions(CHALLENGE, { _id: 'operator', email: 'a@example.com' }, []);
  expect(options.pubKeyCredParams).toEqual([-8, -7, -257].map((alg) => ({ alg, type: 'public-key' })));
});

test('no key is larger than keys are, and the id is that of the key', async () => {
  expect(await passkeys.verifyNew(await create({ padding: 900 }), CHALLENGE)).toBeDefined();
  expect(await passkeys.verifyNew(await create({ padding: 1000 }), CHALLENGE)).toBeUndefined();
  const [one, other] = [await create({}), await create({})];
  const swapped = { ...one, id: other.id, rawId: other.id };
  expect(await passkeys.verifyNew(swapped, CHALLENGE)).toBeUndefined();
});
