import { randomBytes } from 'node:crypto';
import { DEFAULT_RATE_LIMIT, newId, type Scope, scopes } from '@chairside/domain';
import type { AdministrationStore } from '@chairside/mongodb/administration';
import { importRecords } from './records.ts';
import { importSettings } from './settings.ts';

export type DemoOperator = { email: string; password: string };

/** A practice that the demo has created, as stored in `.data/demo.json`. */
export type DemoOrganization = {
  _id: string;
  clinicIds: string[];
  apiKey: string;
  readOnlyApiKey: string;
  administrator: DemoOperator;
  staff: DemoOperator;
  webhookSubscriptionId: string;
  webhookSecret: string;
};

/**
 * Creates a practice: 2 clinics with the records of {@link importRecords} and the settings of {@link importSettings},
 * two operators, two API keys and a subscription of the first clinic to all events.
 *
 * @param receiverUrl URL of the subscription
 */
export const createPractice = async (
  { everyOrganization, organization }: AdministrationStore,
  name: string,
  receiverUrl: string,
): Promise<DemoOrganization> => {
  const now = new Date();
  const _id = newId(now);
  const store = organization(_id);
  const createOperator = async (role: 'administrator' | 'staff'): Promise<DemoOperator> => {
    const operator = {
      email: `${role}.${_id.slice(-6)}@example.com`.toLowerCase(),
      password: randomBytes(12).toString('base64url'),
    };
    await store.operators.create({ ...operator, role }, now);
    return operator;
  };
  const createKey = async (keyName: string, granted: readonly Scope[]) => {
    const fields = { name: keyName, scopes: [...granted], rateLimit: DEFAULT_RATE_LIMIT };
    const key = await store.apiKeys.create(fields, now);
    if (key === undefined) throw new Error('a new organization cannot have a key');
    return key.secret;
  };

  await everyOrganization.organizations.create({ _id, name });
  const importer = everyOrganization.administration.importer({ id: 'demo', organizationId: _id, by: 'demo' });
  await importRecords(importer, now);
  const clinicIds: string[] = [];
  for await (const clinic of store.clinics.list({})) clinicIds.push(clinic._id);
  await importSettings(importer, store, clinicIds, now);
  const subscription = await store.subscriptions.create(
    { clinicId: clinicIds[0] as string, url: receiverUrl, events: [], active: true },
    now,
  );
  if (subscription === undefined) throw new Error('a new clinic cannot have a subscription');
  return {
    _id,
    clinicIds,
    apiKey: await createKey('Demo, every scope', scopes),
    readOnlyApiKey: await createKey(
      'Demo, read only',
      scopes.filter((scope) => scope.endsWith(':read')),
    ),
    administrator: await createOperator('administrator'),
    staff: await createOperator('staff'),
    webhookSubscriptionId: subscription._id,
    webhookSecret: subscription.secret,
  };
};
