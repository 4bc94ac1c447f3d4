import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { Chairside, type EventFollower } from '../src/index.ts';
import type { operations } from '../src/schema.ts';
import { BASE_URL, createStub } from './stub.ts';

const document = JSON.parse(readFileSync(new URL('../../../docs/openapi.json', import.meta.url), 'utf8'));

type Offered = Exclude<keyof operations, keyof typeof NOT_OFFERED>;

const PEOPLE = 'for people, who use the dashboard or the command line';

/** The operations for which the client has no method, each with the reason. */
const NOT_OFFERED = {
  getLiveness: 'for what runs the service, such as Kubernetes; it is not a part of the API',
  getReadiness: 'for what runs the service, such as Kubernetes; it is not a part of the API',
  getOpenApiDocument: 'for tools; the types of the client are made from it',
  getReferencePage: 'a page for people',
  getGuide: 'a page for people',
  getLimitsPage: 'a page for people',
  getSignaturesPage: 'a page for people',
  completeInvitation: 'the page that the link of an invitation leads to sends it',
  getPasswordResetState: 'the sign-in page sends it',
  requestPasswordReset: 'the sign-in page sends it',
  completePasswordReset: 'the page that the link of a mail leads to sends it',
  answerChallenge: 'signIn sends it, with `answer`; tested below',
  beginPasskeySignIn: 'a passkey needs a browser; the dashboard sends it',
  beginPasskey: 'a passkey needs a browser; the dashboard sends it',
  completePasskey: 'a passkey needs a browser; the dashboard sends it',
  getFactors: PEOPLE,
  resetOperatorFactors: PEOPLE,
  beginCodes: PEOPLE,
  completeCodes: PEOPLE,
  removeCodes: PEOPLE,
  renamePasskey: PEOPLE,
  removePasskey: PEOPLE,
  replaceRecoveryCodes: PEOPLE,
  getOrganization: PEOPLE,
  updateOrganization: PEOPLE,
} satisfies Partial<Record<keyof operations, string>>;

const filter = { clinicId: 'c', externalId: 'x', updatedSince: new Date(0) };
const body = { password: 'p' };

/** The query parameters that the client sends as fields of the body of `searchPatients` instead. */
const IN_SEARCH: readonly string[] = ['email', 'name', 'phone'];

/**
 * Maps each operation to the call of the client that sends it. A new operation fails the type check until it is listed
 * here or above.
 */
const CALLS: Record<Offered, (client: Chairside) => unknown> = {
  signIn: () => undefined, // tested below, because it needs no client
  listConnections: ({ connections }) => connections.list().page('x'),
  deleteConnection: ({ connections }) => connections.delete('a'),
  listSessions: ({ sessions }) => sessions.list().page('x'),
  endSession: ({ sessions }) => sessions.delete('a'),
  listProgramTokens: ({ sessions }) => sessions.tokens().page(),
  createProgramToken: ({ sessions }) => sessions.createToken({ name: 'n', access: 'webhooks' }),
  getCurrentSession: ({ sessions }) => sessions.current(),
  signOut: ({ sessions }) => sessions.signOut(),
  confirmPassword: ({ sessions }) => sessions.confirm(body),
  changePassword: ({ sessions }) => sessions.changePassword({ ...body, newPassword: 'n' }),
  listOperators: ({ operators }) => operators.list().page(),
  createOperator: ({ operators }) => operators.create({ email: 'a@b.c', password: 'p', role: 'staff' }),
  inviteOperatorAgain: ({ operators }) => operators.invite('a'),
  getOperator: ({ operators }) => operators.get('a'),
  updateOperator: ({ operators }) => operators.update('a', { active: false }, { ifMatch: '"1"' }),
  deleteOperator: ({ operators }) => operators.delete('a', { ifMatch: '"1"' }),
  listNotices: ({ operators }) => operators.notices().page('x'),
  getNoticeSettings: ({ sessions }) => sessions.notices(),
  updateNoticeSettings: ({ sessions }) => sessions.changeNotices({ appConnected: false }),
  listOperatorSessions: ({ operators }) => operators.sessions('a').page(),
  endOperatorSessions: ({ operators }) => operators.endSessions('a'),
  listApiKeys: ({ apiKeys }) => apiKeys.list().page(),
  createApiKey: ({ apiKeys }) => apiKeys.create({ name: 'n' }),
  getApiKey: ({ apiKeys }) => apiKeys.get('a'),
  updateApiKey: ({ apiKeys }) => apiKeys.update('a', { name: 'n' }, { ifMatch: '"1"' }),
  deleteApiKey: ({ apiKeys }) => apiKeys.delete('a', { ifMatch: '"1"' }),
  getCurrentApiKey: ({ apiKeys }) => apiKeys.current(),
  rotateApiKey: ({ apiKeys }) => apiKeys.rotate('a', { overlapHours: 1 }),
  revealApiKey: ({ apiKeys }) => apiKeys.reveal('a', body),
  listClinics: ({ clinics }) =>
    clinics.list({ externalId: 'x', updatedSince: new Date(0), fields: ['name'] }).page('x'),
  getClinic: ({ clinics }) => clinics.get('a', { ifNoneMatch: '"1"' }),
  listPatients: ({ patients }) =>
    patients.list({ ...filter, _ids: ['a', 'b'], fields: ['name', 'email'] }).page('x'),
  searchPatients: ({ patients }) =>
    patients
      .list({ ...filter, name: 'n', phone: 'p', email: 'e', _ids: 'a', fields: ['name', 'email'] })
      .page('x'),
  createPatient: ({ patients }) => patients.create({ clinicId: 'c' }),
  getPatient: ({ patients }) => patients.get('a', { ifNoneMatch: '"1"' }),
  getPatientByExternalId: ({ patients }) => patients.getByExternalId('a', { ifNoneMatch: '"1"' }),
  upsertPatient: ({ patients }) => patients.upsert('a', { name: 'n' }, { ifMatch: '"1"' }),
  updatePatient: ({ patients }) => patients.update('a', { name: 'n' }, { ifMatch: '"1"' }),
  exportPatient: ({ patients }) => patients.export('a'),
  deletePatient: ({ patients }) => patients.delete('a', { ifMatch: '"1"' }),
  listAppointments: ({ appointments }) =>
    appointments
      .list({
        ...{ ...filter, patientId: 'p', providerId: 'v', status: 'SCHEDULED', startTime: new Date(0) },
        ...{ endTime: 'z', fields: ['status'] },
      })
      .page('x'),
  createAppointment: ({ appointments }) => appointments.create({ clinicId: 'c' }, { onlyIfFree: true }),
  getAppointment: ({ appointments }) => appointments.get('a', { ifNoneMatch: '"1"' }),
  getAppointmentByExternalId: ({ appointments }) => appointments.getByExternalId('a', { ifNoneMatch: '"1"' }),
  upsertAppointment: ({ appointments }) =>
    appointments.upsert('a', { status: 'CANCELED' }, { ifMatch: '"1"', onlyIfFree: true }),
  updateAppointment: ({ appointments }) =>
    appointments.update('a', { status: 'CANCELED' }, { ifMatch: '"1"', onlyIfFree: true }),
  deleteAppointment: ({ appointments }) => appointments.delete('a', { ifMatch: '"1"' }),
  listInvoices: ({ invoices }) =>
    invoices.list({ ...filter, patientId: 'p', status: ['OPEN', 'PAID'], fields: ['total'] }).page('x'),
  getInvoice: ({ invoices }) => invoices.get('a', { ifNoneMatch: '"1"' }),
  listPayments: ({ payments }) => payments.list({ ...filter, patientId: 'p', fields: ['amount'] }).page('x'),
  getPayment: ({ payments }) => payments.get('a', { ifNoneMatch: '"1"' }),
  listTreatments: ({ treatments }) => treatments.list({ ...filter, fields: ['name'] }).page('x'),
  getTreatment: ({ treatments }) => treatments.get('a', { ifNoneMatch: '"1"' }),
  listProviders: ({ providers }) => providers.list({ clinicId: 'c', fields: ['name'] }).page('x'),
  getProvider: ({ providers }) => providers.get('a', { ifNoneMatch: '"1"' }),
  listProcedures: ({ procedures }) => procedures.list({ clinicId: 'c', fields: ['name'] }).page('x'),
  getProcedure: ({ procedures }) => procedures.get('a', { ifNoneMatch: '"1"' }),
  listCalendarBlocks: ({ calendarBlocks }) =>
    calendarBlocks
      .list({ clinicId: 'c', providerId: 'p', startTime: new Date(0), endTime: 'z', fields: ['kind'] })
      .page('x'),
  getCalendarBlock: ({ calendarBlocks }) => calendarBlocks.get('a', { ifNoneMatch: '"1"' }),
  createProvider: ({ providers }) => providers.create({ name: 'n', clinicIds: ['c'] }),
  updateProvider: ({ providers }) => providers.update('a', { name: 'n' }, { ifMatch: '"1"' }),
  deleteProvider: ({ providers }) => providers.delete('a', { ifMatch: '"1"' }),
  createProcedure: ({ procedures }) => procedures.create({ name: 'n', durationMinutes: 30 }),
  updateProcedure: ({ procedures }) => procedures.update('a', { code: null }, { ifMatch: '"1"' }),
  deleteProcedure: ({ procedures }) => procedures.delete('a', { ifMatch: '"1"' }),
  createCalendarBlock: ({ calendarBlocks }) =>
    calendarBlocks.create({ clinicId: 'c', startTime: 's', endTime: 'e', kind: 'CLOSED' }),
  updateCalendarBlock: ({ calendarBlocks }) =>
    calendarBlocks.update('a', { kind: 'OTHER' }, { ifMatch: '"1"' }),
  deleteCalendarBlock: ({ calendarBlocks }) => calendarBlocks.delete('a', { ifMatch: '"1"' }),
  setOpeningHours: ({ openingHours }) =>
    openingHours.set('a', { weekdays: {} }, { ifMatch: '"1"', ifNoneMatch: '*' }),
  previewOpeningHours: ({ openingHours }) =>
    openingHours.preview('a', { from: 'd', to: 'd', durationMinutes: 1, hours: { weekdays: {} } }),
  getOpeningHours: ({ openingHours }) => openingHours.get('a', { ifNoneMatch: '"1"' }),
  findAvailability: (client) =>
    client.findAvailability({
      ...{ clinicId: 'c', from: 'd', to: 'd' },
      ...{ procedureId: 'p', durationMinutes: 1, providerId: 'v' },
    }),
  listWebhookSubscriptions: ({ webhookSubscriptions }) => webhookSubscriptions.list().page(),
  createWebhookSubscription: ({ webhookSubscriptions }) =>
    webhookSubscriptions.create({ clinicId: 'c', url: 'https://example.com' }),
  getWebhookSubscription: ({ webhookSubscriptions }) => webhookSubscriptions.get('a'),
  updateWebhookSubscription: ({ webhookSubscriptions }) =>
    webhookSubscriptions.update('a', { active: true }, { ifMatch: '"1"' }),
  deleteWebhookSubscription: ({ webhookSubscriptions }) =>
    webhookSubscriptions.delete('a', { ifMatch: '"1"' }),
  listWebhookDeliveries: ({ webhookDeliveries }) =>
    webhookDeliveries
      .list({
        ...{ webhookSubscriptionId: 'a', outcome: 'failed', cause: 'dns', event: 'patient.created' },
        ...{ statusClass: '5xx', unrepaired: 'true', eventId: 'e', requestId: 'r', since: 's', until: 'u' },
      })
      .page('x'),
  listAllWebhookDeliveries: ({ webhookDeliveries }) =>
    webhookDeliveries
      .list({
        ...{ clinicId: 'c', webhookSubscriptionId: 'a', outcome: 'failed', cause: 'dns' },
        ...{ event: 'patient.created', statusClass: '5xx', unrepaired: 'true', eventId: 'e', requestId: 'r' },
        ...{ since: 's', until: 'u' },
      })
      .page('x'),
  getWebhookDelivery: ({ webhookDeliveries }) => webhookDeliveries.get('a'),
  redeliverWebhook: ({ webhookDeliveries }) => webhookDeliveries.redeliver('a'),
  redeliverWebhooks: ({ webhookSubscriptions }) => webhookSubscriptions.redeliver('a', { since: 's' }),
  listWebhookRedeliveries: ({ webhookSubscriptions }) => webhookSubscriptions.redeliveries('a').page('x'),
  stopWebhookRedelivery: ({ webhookSubscriptions }) => webhookSubscriptions.stopRedelivery('a', 'b'),
  getWebhookRedelivery: ({ webhookSubscriptions }) => webhookSubscriptions.redelivery('a', 'b'),
  testWebhookSubscription: ({ webhookSubscriptions }) => webhookSubscriptions.test('a'),
  listEvents: ({ events }) =>
    events
      .list({
        ...{ clinicId: 'c', event: 'patient.created', recordId: 'r', order: 'desc' },
        ...{ since: 's', until: 'u' },
      })
      .page('x'),
  getEvent: ({ events }) => events.get('a'),
  listWebhookStatistics: ({ webhookStatistics }) =>
    webhookStatistics.list({ clinicId: 'c', webhookSubscriptionId: 'a', since: 's', until: 'u' }).page('x'),
  writeBatch: (client) => client.batch([{ method: 'delete', kind: 'patient', _id: 'a' }], { minimal: true }),
  getServiceStatus: (client) => client.serviceStatus(),
  listAuditEntries: ({ auditEntries }) =>
    auditEntries
      .list({
        ...{ principalId: 'p', kind: 'patient', recordId: 'r', action: 'read', requestId: 'q' },
        ...{ since: 's', until: 'u' },
      })
      .page('x'),
};

const resolve = (part: any): any =>
  typeof part?.$ref === 'string'
    ? part.$ref
        .slice(2)
        .split('/')
        .reduce((at: any, name: string) => at[name], document)
    : part;

const described = Object.entries<any>(document.paths).flatMap(([path, methods]) =>
  Object.entries<any>(methods).map(([method, operation]) => ({
    operationId: operation.operationId as Offered,
    method: method.toUpperCase(),
    path,
    parameters: (operation.parameters ?? []).map(resolve) as { in: string; name: string }[],
    hasBody: operation.requestBody !== undefined,
  })),
);
const offered = described.filter(({ operationId }) => !(operationId in NOT_OFFERED));

describe('the operations of the OpenAPI document', () => {
  it('have a method, or a reason for having none', () => {
    const ids = described.map(({ operationId }) => operationId);
    expect([...Object.keys(CALLS), ...Object.keys(NOT_OFFERED)].sort()).toEqual([...ids].sort());
    expect(offered.length).toBeGreaterThan(40);
  });

  it.each(offered.filter(({ operationId }) => operationId !== 'signIn'))(
    '$operationId: the client sends $method $path with every parameter',
    async ({ operationId, method, path, parameters, hasBody }) => {
      const { client, seen } = createStub(() => ({ body: [] }));
      await CALLS[operationId](client);
      expect(seen).toHaveLength(1);
      const [request] = seen;
      expect(request?.method).toBe(method);
      expect(request?.path).toBe(path.replace('{redeliveryId}', 'b').replace(/\{\w+\}/, 'a'));
      const named = (place: string) =>
        parameters
          .filter((one) => one.in === place)
          .map(({ name }) => name)
          .filter((name) => operationId !== 'listPatients' || !IN_SEARCH.includes(name));
      expect(Object.keys(request?.query ?? {}).sort()).toEqual(named('query').sort());
      const headers = Object.keys(request?.init.headers ?? {});
      expect(headers).toEqual(expect.arrayContaining(named('header').map((name) => name.toLowerCase())));
      expect(headers.includes('idempotency-key')).toBe(named('header').includes('Idempotency-Key'));
      expect(request?.body !== undefined).toBe(hasBody);
    },
  );

  it('a search for patients has every field of its body, and nothing in the address', async () => {
    const { client, seen } = createStub(() => ({ body: [] }));
    await CALLS.searchPatients(client);
    const { properties } = document.components.schemas.PatientSearch;
    const body = seen[0]?.body as object;
    expect(Object.keys(body).sort()).toEqual(Object.keys(properties).sort());
    expect(body).toMatchObject({
      ...{ _ids: ['a'], fields: ['name', 'email'], limit: 1000, cursor: 'x' },
      updatedSince: '1970-01-01T00:00:00.000Z',
    });
    expect(seen[0]?.query).toEqual({});
    for (const name of IN_SEARCH) {
      await client.patients.list({ [name]: 'x' }).page();
      expect(seen.at(-1)).toMatchObject({ method: 'POST', path: '/api/patients/search' });
    }
  });

  it('signIn: needs no credential and sends none', async () => {
    const requests: any[] = [];
    const signedIn = await Chairside.signIn({
      ...{ baseUrl: BASE_URL, email: 'ada@example.com', password: 'secret' },
      fetch: async (url, init) => {
        requests.push({ url, ...init });
        return Response.json({ token: 't' });
      },
    });
    expect(signedIn.token).toBe('t');
    expect(requests).toMatchObject([
      {
        method: 'POST',
        url: `${BASE_URL}/api/sessions`,
        body: '{"email":"ada@example.com","password":"secret"}',
      },
    ]);
    expect(requests[0].headers).not.toHaveProperty('authorization');
  });

  it('signIn with an answer: needs no credential and sends none', async () => {
    const requests: any[] = [];
    const signedIn = await Chairside.signIn({
      ...{ baseUrl: BASE_URL, answer: { challenge: 'c', recoveryCode: 'abcd' } },
      fetch: async (url, init) => {
        requests.push({ url, ...init });
        return Response.json({ token: 't' });
      },
    });
    expect(signedIn.token).toBe('t');
    const body = '{"challenge":"c","recoveryCode":"abcd"}';
    expect(requests).toMatchObject([{ method: 'POST', url: `${BASE_URL}/api/sessions/challenge`, body }]);
    expect(requests[0].headers).not.toHaveProperty('authorization');
  });
});

describe('types', () => {
  it('of records equal those of the document and have the same names', () => {
    const check = async (client: Chairside, follower: EventFollower) => {
      const { name } = await client.patients.get('a');
      const selected = await client.patients.list({ fields: ['email'] }).toArray();
      const maybe = await client.patients.get('a', { ifNoneMatch: '"1"' });
      // @ts-expect-error the result is undefined if the record is unchanged
      maybe.name;
      // @ts-expect-error the field was not selected
      selected[0]?.name;
      // @ts-expect-error there is no such field
      client.patients.list({ fields: ['nickname'] });
      // @ts-expect-error there is no such filter
      client.invoices.list({ email: 'e' });
      // @ts-expect-error `clinicId` is required
      client.patients.create({ name });
      // @ts-expect-error invoices are read-only
      client.invoices.create;
      for await (const event of follower) {
        if (event.event === 'patient.created') event.data.email;
        if (event.event === 'payment.refunded') event.data.amount;
        // @ts-expect-error not every record has this field
        event.data.email;
      }
    };
    expect(check).toBeTypeOf('function');
  });
});
