import type { OrganizationStore } from '@chairside/mongodb';
import { TOTP } from 'otpauth';
import { newCodeSecret } from '../src/factors/codes.ts';
import { newRecoveryCodes, normalized } from '../src/factors/recovery-codes.ts';
import type { TestApi } from './api.ts';
import { PasskeyDevice } from './passkey-device.ts';

const FACTORS = '/api/sessions/current/factors';

/** The code that an app with this secret shows. */
export const codeAt = (secret: string, time = Date.now()): string =>
  new TOTP({ secret }).generate({ timestamp: time });

/** Gives an operator an app for codes, without the routes. No code was used yet. */
export const plantApp = async (
  { factors }: Pick<OrganizationStore, 'factors'>,
  operatorId: string,
): Promise<{ secret: string; recoveryCodes: string[] }> => {
  const [secret, recoveryCodes, now] = [newCodeSecret(), newRecoveryCodes(), new Date()];
  await factors.beginCode(operatorId, secret, now);
  const added = await factors.addCode(operatorId, secret, 0, recoveryCodes.map(normalized), now);
  if (added === undefined) throw new Error('the operator has an app, or does not exist');
  return { secret, recoveryCodes };
};

/** Begins a passkey, and returns the body that adds it. The caller has confirmed the password to change factors. */
export const newPasskey = async ({ call }: Pick<TestApi, 'call'>, as: string) => {
  const device = new PasskeyDevice('https://dashboard.example.com');
  const { json } = await call('POST', `${FACTORS}/passkeys`, { as, body: {} });
  return { device, body: { name: 'Phone', credential: device.create(json.options) } };
};

/** Adds a passkey, and returns its id. */
export const addPasskey = async (api: Pick<TestApi, 'call'>, as: string) => {
  const { device, body } = await newPasskey(api, as);
  const { json } = await api.call('POST', `${FACTORS}/passkeys/complete`, { as, body });
  return { device, passkeyId: json._id as string };
};
