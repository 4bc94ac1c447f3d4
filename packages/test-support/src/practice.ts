import { randomBytes } from 'node:crypto';
import { type ApiKey, newEvent, newId, type Scope, scopes } from '@chairside/domain';
import type { OrganizationStore } from '@chairside/mongodb';
import type { WholeStore } from '@chairside/mongodb/whole';

export type TestOperator = { _id: string; email: string; password: string; token: string };

/** A practice with two clinics, keys and operators. */
export type Practice = {
  organizationId: string;
  store: OrganizationStore;
  clinicIds: readonly [string, string];
  apiKey: string;
  readOnlyApiKey: string;
  administrator: TestOperator;
  staff: TestOperator;
};

/** The value of the Authorization header for an API key, as in the service description. */
export const basic = (secret: string): string => `Basic ${Buffer.from(secret).toString('base64')}`;

/** Creates a key in an organization that has fewer than the maximum number of keys. */
export const createKey = async (
  store: Pick<OrganizationStore, 'apiKeys'>,
  key: Parameters<OrganizationStore['apiKeys']['create']>[0],
  now: Date,
): Promise<ApiKey & { secret: string }> => {
  const made = await store.apiKeys.create(key, now);
  if (made === undefined) throw new Error('the organization has reached its limit of keys');
  return made;
};

/** The password of all operators of the practices of a test worker. */
const PASSWORD = randomBytes(12).toString('base64url');

export const createPractice = async ({ everyOrganization, organization }: WholeStore): Promise<Practice> => {
  const now = new Date();
  const organizationId = newId(now);
  await everyOrganization.organizations.create({ _id: organizationId, name: 'Test practice' });
  const store = organization(organizationId);

  const createClinic = async (name: string): Promise<string> => {
    const _id = newId(now);
    await store.clinics.create({
      _id,
      name,
      currency: 'EUR',
      timezone: 'UTC',
      lastEditTime: now.toISOString(),
    });
    return _id;
  };
  const secretWith = async (granted: readonly Scope[]) =>
    (await createKey(store, { name: 'test', scopes: [...granted], rateLimit: 100_000 }, now)).secret;
  const createOperator = async (role: 'administrator' | 'staff'): Promise<TestOperator> => {
    const email = `${organizationId}.${role}@example.com`;
    const made = await store.operators.create({ email, password: PASSWORD, role }, now);
    if (typeof made === 'string') throw new Error('the new e-mail address is taken');
    const result = await everyOrganization.sessions.signIn(email, PASSWORD, now);
    if (result.outcome !== 'signed_in') throw new Error('the new operator cannot sign in');
    return { _id: made._id, email, password: PASSWORD, token: result.session.token };
  };

  return {
    organizationId,
    store,
    clinicIds: [await createClinic('North'), await createClinic('South')],
    apiKey: await secretWith(scopes),
    readOnlyApiKey: await secretWith(scopes.filter((scope) => scope.endsWith(':read'))),
    administrator: await createOperator('administrator'),
    staff: await createOperator('staff'),
  };
};

/** Stores a patient with its event, as the api does. Publishing the event is left to the caller. */
export const writePatient = async (
  { store }: Pick<Practice, 'store'>,
  clinicId: string,
): Promise<{ recordId: string; eventId: string }> => {
  const time = new Date();
  const record = {
    _id: newId(time),
    clinicId,
    name: 'Test Patient',
    createdTime: time.toISOString(),
    lastEditTime: time.toISOString(),
  };
  const author = { principal: { kind: 'system' as const, id: 'test' }, requestId: 'test' };
  const event = newEvent({ _id: newId(time), event: 'patient.created', time, author }, record);
  await store.patients.create(record, event);
  return { recordId: record._id, eventId: event._id };
};
