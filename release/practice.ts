import { signatureHeader, unwrap } from '@chairside/signing';
import { callApi, type Post, type RecordingReceiver } from '@chairside/test-support';

/** A practice with a subscription, created as docs/operation/install.md describes. */
export type Practice = {
  clinicId: string;
  /** The value of the header Authorization, with an API key. */
  authorization: string;
  secret: string;
  administrator: { email: string; password: string };
};

/** Runs a command of chairside-admin, and returns what it prints. */
export type Admin = (...given: string[]) => Promise<string>;

/** Creates an organization, a clinic and an administrator. */
const createAdministrator = async (admin: Admin) => {
  const command = async (...given: string[]): Promise<Record<string, string>> =>
    JSON.parse(await admin(...given, '--json'));
  const { _id: organizationId = '' } = await command('organization', 'create', 'Dental Practice North');
  const inOrganization = ['--organization', organizationId];
  const { _id: clinicId = '' } = await command(
    ...['clinic', 'create', ...inOrganization, '--name', 'Main', '--currency', 'EUR'],
  );
  const email = `ada.${organizationId}@example.com`;
  const { password = '' } = await command(
    ...['operator', 'create', email, ...inOrganization, '--role', 'administrator', '--keep-password'],
  );
  return { clinicId, email, password };
};

/**
 * Creates a practice with an API key and a subscription of the receiver.
 *
 * @param address the address of the api
 */
export const createPractice = async (
  admin: Admin,
  address: string,
  receiver: RecordingReceiver,
): Promise<Practice> => {
  const { clinicId, email, password } = await createAdministrator(admin);
  const call = async (
    method: string,
    path: string,
    body: object,
    headers = {},
  ): Promise<Record<string, string>> => {
    const { status, json } = await callApi(address, method, path, headers, body);
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(json)}`);
    return json;
  };
  const { token } = await call('POST', '/api/sessions', { email, password });
  const session = { authorization: `Token ${token}` };
  await call('POST', '/api/sessions/current/confirm', { password }, session);
  const key = await call('POST', '/api/apikeys', { name: 'load' }, session);
  await call(
    'PUT',
    `/api/apikeys/${key._id}`,
    { name: 'load', scopes: ['patients:read', 'patients:write'], rateLimit: 100_000 },
    session,
  );
  const wanted = { clinicId, url: receiver.url, events: ['patient.created'], active: true };
  const subscription = await call('POST', '/api/webhooksubscriptions', wanted, session);
  const authorization = `Basic ${Buffer.from(key.secret ?? '').toString('base64')}`;
  return { clinicId, authorization, secret: subscription.secret ?? '', administrator: { email, password } };
};

/**
 * The id of the record in a webhook.
 *
 * @throws {SignatureError} if the signature is not that of the subscription
 */
export const verifiedRecord = ({ secret }: Practice, { raw, headers }: Post): string => {
  const { data } = unwrap({ body: raw, header: signatureHeader(headers), secret });
  return (data as { _id: string })._id;
};
