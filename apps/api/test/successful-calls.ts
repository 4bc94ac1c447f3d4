import { newId } from '@chairside/domain';
import { basic, createKey, plantConnection, type TestOperator } from '@chairside/test-support';
import { type ApiResponse, type CallOptions, type TestApi, token } from './api.ts';
import { endDeliveries } from './ended-deliveries.ts';
import { addPasskey, codeAt, newPasskey, plantApp } from './factors.ts';
import { logEvents } from './logged-events.ts';
import { createReadOnlyRecords, createSettings, OPEN_MONDAYS } from './read-only-records.ts';

const FACTORS = '/api/sessions/current/factors';

type Prepared = { path?: string; options?: CallOptions };
/** Creates the records of a call. By default a call uses shared records and the administrator's token. */
type Prepare = () => Promise<Prepared>;

/**
 * Makes successful calls of routes. The caller is the administrator of the practice, with a confirmed password, except
 * on routes that need another caller.
 */
export type SuccessfulCalls = {
  /**
   * Creates the records of a call, and returns a function that makes the call.
   *
   * @param as another caller than the administrator, except on routes that need another one
   */
  prepare(method: string, url: string, as?: string): Promise<() => Promise<ApiResponse>>;
};

/** What the records of the calls contain, what receivers respond with, and the ids of records that the calls share. */
export type Planted = {
  patient?: { name?: string | null | undefined; externalId?: string | null | undefined };
  appointment?: { externalId?: string | null | undefined };
  response?: Parameters<typeof endDeliveries>[1];
  ids?: Record<string, string>;
};

/** Creates the records that the calls share. */
export const openSuccessfulCalls = async (
  api: TestApi,
  { patient = {}, appointment = {}, response, ids: plantedIds }: Planted = {},
): Promise<SuccessfulCalls> => {
  let ids: Record<string, string> = {};
  // Only the shared records have external ids, because those are unique.
  const { externalId = 'pms:1', ...patientFields } = patient;
  const { externalId: ofAppointment = externalId, ...appointmentFields } = appointment;
  const [clinicId] = api.practice.clinicIds;
  const administrator = token(api.practice.administrator.token);
  /**
   * Creates a subscription in a new clinic, because both the subscriptions of a clinic and the calls for a subscription
   * are limited in number.
   */
  const subscribed = async (): Promise<string> => {
    const newClinicId = newId();
    const named = { name: 'East', currency: 'EUR', timezone: 'UTC', lastEditTime: new Date().toISOString() };
    await api.practice.store.clinics.create({ _id: newClinicId, ...named });
    const sent = { clinicId: newClinicId, url: 'https://example.com', events: [], active: true };
    const made = await api.practice.store.subscriptions.create(sent, new Date());
    if (made === undefined) throw new Error('the new clinic has too many subscriptions');
    return made._id;
  };
  const key = async (): Promise<string> =>
    (await createKey(api.practice.store, { name: 'a', scopes: [], rateLimit: 100 }, new Date()))._id;
  /** Creates an administrator and signs in. */
  const operator = async (): Promise<TestOperator & { sessionId: string }> => {
    const named = { email: `${newId()}@example.com`, password: `${newId()} is long` };
    const made = await api.practice.store.operators.create({ ...named, role: 'administrator' }, new Date());
    if (typeof made === 'string') throw new Error('the new e-mail address is taken');
    const signedIn = await api.store.everyOrganization.sessions.signIn(
      named.email,
      named.password,
      new Date(),
    );
    if (signedIn.outcome !== 'signed_in') throw new Error('the new operator cannot sign in');
    return { ...named, _id: made._id, token: signedIn.session.token, sessionId: signedIn.session._id };
  };
  /** Creates an administrator who has entered the password to change factors. */
  const confirmed = async () => {
    const { _id, token: own, password } = await operator();
    const body = { password, for: 'factors' };
    await api.call('POST', '/api/sessions/current/confirm', { as: token(own), body });
    return { _id, as: token(own) };
  };
  const invited = async () => {
    const named = { email: `${newId()}@example.com`, role: 'staff' as const };
    const made = await api.practice.store.operators.invite(named, false, new Date());
    if (typeof made === 'string') throw new Error('the new e-mail address is taken');
    return { ...made.operator, secret: made.secret };
  };
  /** The secret of a new link for a new password. Only its mail has it. */
  const secretOfReset = async (): Promise<string> => {
    const { email, _id: operatorId } = await operator();
    await api.store.everyOrganization.operatorLinks.requestReset(email, new Date());
    const mail = await api.database.collection<{ _id: string }>('mails').findOne({ operatorId });
    const cipher = await api.store.ciphers.of(api.practice.organizationId);
    const _id = mail?._id ?? '';
    const sealed = (mail as { sealed?: unknown } | null)?.sealed;
    return JSON.parse(cipher.open(sealed, { collection: 'mails', _id, field: 'sealed' })).link.secret;
  };
  const newPatient = async (): Promise<string> =>
    (await api.call('POST', '/api/patients', { body: { clinicId, ...patientFields } })).json._id;

  const body =
    (given: () => object): Prepare =>
    async () => ({ options: { body: given() } });
  /** Prepares a call on a new record. */
  const on =
    (make: () => Promise<string>, path: (id: string) => string, given?: object): Prepare =>
    async () => ({ path: path(await make()), ...(given && { options: { body: given } }) });

  const PREPARED: Readonly<Record<string, Prepare>> = {
    'DELETE /api/apikeys/:apiKeyId': on(key, (id) => `/api/apikeys/${id}`),
    'DELETE /api/appointments/:appointmentId': on(
      async () =>
        (await api.call('POST', '/api/appointments', { body: { clinicId, ...appointmentFields } })).json._id,
      (id) => `/api/appointments/${id}`,
    ),
    'DELETE /api/connections/:connectionId': on(
      () =>
        plantConnection(api.database, {
          organizationId: api.practice.organizationId,
          operatorId: api.practice.staff._id,
        }),
      (id) => `/api/connections/${id}`,
    ),
    'DELETE /api/operators/:operatorId': on(
      async () => (await operator())._id,
      (id) => `/api/operators/${id}`,
    ),
    'DELETE /api/operators/:operatorId/factors': on(
      async () => {
        const { _id } = await operator();
        await plantApp(api.practice.store, _id);
        return _id;
      },
      (id) => `/api/operators/${id}/factors`,
    ),
    'DELETE /api/operators/:operatorId/sessions': on(
      async () => (await operator())._id,
      (id) => `/api/operators/${id}/sessions`,
    ),
    'DELETE /api/patients/:patientId': on(newPatient, (id) => `/api/patients/${id}`),
    'DELETE /api/sessions/:sessionId': async () => {
      const { token: own, sessionId } = await operator();
      return { path: `/api/sessions/${sessionId}`, options: { as: token(own) } };
    },
    [`DELETE ${FACTORS}/codes`]: async () => {
      const { _id, as } = await confirmed();
      await plantApp(api.practice.store, _id);
      return { options: { as } };
    },
    [`DELETE ${FACTORS}/passkeys/:passkeyId`]: async () => {
      const { as } = await confirmed();
      return { path: `${FACTORS}/passkeys/${(await addPasskey(api, as)).passkeyId}`, options: { as } };
    },
    'DELETE /api/sessions/current': async () => ({ options: { as: token((await operator()).token) } }),
    'DELETE /api/webhooksubscriptions/:webhookSubscriptionId': on(
      subscribed,
      (id) => `/api/webhooksubscriptions/${id}`,
    ),
    'POST /api/apikeys': body(() => ({ name: 'a', scopes: [] })),
    'GET /api/apikeys/current': async () => ({ options: { as: basic(api.practice.apiKey) } }),
    'POST /api/apikeys/:apiKeyId/rotate': body(() => ({ overlapHours: 1 })),
    'POST /api/apikeys/:apiKeyId/reveal': body(() => ({ password: api.practice.administrator.password })),
    'POST /api/appointments': async () => ({
      options: {
        body: { clinicId, patientId: ids.patientId, ...appointmentFields },
        headers: { 'idempotency-key': newId() },
      },
    }),
    'POST /api/batch': async () => ({
      options: {
        body: {
          writes: [
            { method: 'create', kind: 'patient', body: { clinicId, ...patientFields } },
            { method: 'create', kind: 'appointment', body: { clinicId, ...appointmentFields } },
          ],
        },
        headers: { 'idempotency-key': newId() },
      },
    }),
    'POST /api/operators': body(() => ({
      email: `${newId()}@example.com`,
      password: `${newId()} is long`,
      role: 'staff',
    })),
    'POST /api/patients': async () => ({
      options: { body: { clinicId, ...patientFields }, headers: { 'idempotency-key': newId() } },
    }),
    'POST /api/patients/search': body(() => ({ name: patientFields.name ?? 'Test' })),
    'POST /api/operators/:operatorId/invitation': on(
      async () => (await invited())._id,
      (id) => `/api/operators/${id}/invitation`,
    ),
    'POST /api/invitations/complete': async () => ({
      options: { as: '', body: { secret: (await invited()).secret, password: 'correct horse battery' } },
    }),
    'POST /api/passwordresets': async () => {
      await api.store.everyOrganization.lanes.lease('mail', 'worker', 60_000);
      return { options: { as: '', body: { email: 'nobody@example.com' } } };
    },
    'POST /api/passwordresets/complete': async () => ({
      options: { as: '', body: { secret: await secretOfReset(), password: 'correct horse battery' } },
    }),
    'POST /api/sessions': async () => {
      const { email, password } = await operator();
      return { options: { as: '', body: { email, password } } };
    },
    'POST /api/sessions/challenge': async () => {
      const { _id, email, password } = await operator();
      const { recoveryCodes } = await plantApp(api.practice.store, _id);
      const { json } = await api.call('POST', '/api/sessions', { as: '', body: { email, password } });
      return {
        options: { as: '', body: { challenge: json.details.challenge, recoveryCode: recoveryCodes[0] } },
      };
    },
    'POST /api/sessions/passkey': async () => ({ options: { as: '', body: {} } }),
    [`POST ${FACTORS}/codes`]: async () => ({ options: { as: (await confirmed()).as, body: {} } }),
    [`POST ${FACTORS}/codes/complete`]: async () => {
      const { as } = await confirmed();
      const { secret } = (await api.call('POST', `${FACTORS}/codes`, { as, body: {} })).json;
      return { options: { as, body: { code: codeAt(secret) } } };
    },
    [`POST ${FACTORS}/passkeys`]: async () => ({ options: { as: (await confirmed()).as, body: {} } }),
    [`POST ${FACTORS}/passkeys/complete`]: async () => {
      const { as } = await confirmed();
      return { options: { as, body: (await newPasskey(api, as)).body } };
    },
    [`POST ${FACTORS}/recoverycodes`]: async () => {
      const { _id, as } = await confirmed();
      await plantApp(api.practice.store, _id);
      return { options: { as, body: {} } };
    },
    [`PUT ${FACTORS}/passkeys/:passkeyId`]: async () => {
      const { as } = await confirmed();
      const { passkeyId } = await addPasskey(api, as);
      return { path: `${FACTORS}/passkeys/${passkeyId}`, options: { as, body: { name: 'Laptop' } } };
    },
    'PUT /api/organization': body(() => ({ requiredFactors: 'off' })),
    'POST /api/sessions/current/confirm': body(() => ({ password: api.practice.administrator.password })),
    'POST /api/sessions/current/tokens': body(() => ({ name: 'a', access: 'webhooks' })),
    ...Object.fromEntries(
      (['provider', 'procedure', 'calendarBlock'] as const).flatMap((kind) => {
        const list = `/api/${kind.toLowerCase()}s`;
        const setting = async () => (await createSettings(api.database, api.practice))[`${kind}Id`];
        return [
          [`DELETE ${list}/:${kind}Id`, on(setting, (id) => `${list}/${id}`)],
          [`PUT ${list}/:${kind}Id`, on(setting, (id) => `${list}/${id}`, {})],
        ];
      }),
    ),
    'GET /api/availability': async () => ({
      path: `/api/availability?${new URLSearchParams({ clinicId, from: '2030-01-07', to: '2030-01-07', durationMinutes: '30' })}`,
    }),
    'POST /api/providers': body(() => ({ name: 'Dr. Bo', clinicIds: [clinicId] })),
    'POST /api/procedures': body(() => ({ name: 'Crown', durationMinutes: 90 })),
    'POST /api/calendarblocks': body(() => ({
      ...{ clinicId, startTime: '2026-12-24T00:00:00Z', endTime: '2026-12-25T00:00:00Z', kind: 'CLOSED' },
    })),
    'PUT /api/clinics/:clinicId/openinghours': body(() => OPEN_MONDAYS),
    'POST /api/clinics/:clinicId/openinghours/preview': body(() => ({
      ...{ from: '2030-01-07', to: '2030-01-07', durationMinutes: 30, hours: OPEN_MONDAYS },
    })),
    'POST /api/webhooksubscriptions': async () => {
      const newClinicId = newId();
      const named = {
        name: 'East',
        currency: 'EUR',
        timezone: 'UTC',
        lastEditTime: new Date().toISOString(),
      };
      await api.practice.store.clinics.create({ _id: newClinicId, ...named });
      return { options: { body: { clinicId: newClinicId, url: 'https://example.com' } } };
    },
    'POST /api/webhookdeliveries/:webhookDeliveryId/redeliver': async () => ({
      options: { headers: { 'idempotency-key': newId() } },
    }),
    'POST /api/webhooksubscriptions/:webhookSubscriptionId/redeliver': on(
      subscribed,
      (id) => `/api/webhooksubscriptions/${id}/redeliver`,
      { since: '2030-01-01T00:00:00Z' },
    ),
    'POST /api/webhooksubscriptions/:webhookSubscriptionId/test': on(
      subscribed,
      (id) => `/api/webhooksubscriptions/${id}/test`,
    ),
    'PUT /api/apikeys/:apiKeyId': body(() => ({ name: 'b' })),
    'PUT /api/appointments/:appointmentId': body(() => ({ status: 'SCHEDULED' })),
    'PUT /api/appointments/external/:externalId': body(() => ({ status: 'NO_SHOW' })),
    'PUT /api/operators/:operatorId': body(() => ({ role: 'staff' })),
    'PUT /api/patients/:patientId': body(() => ({ name: 'b' })),
    'PUT /api/patients/external/:externalId': body(() => ({ name: 'c' })),
    'PUT /api/sessions/current/notices': body(() => ({ subscriptionRecovered: false })),
    'PUT /api/sessions/current/password': async () => {
      const { token: own, password } = await operator();
      return { options: { as: token(own), body: { password, newPassword: `${password} and more` } } };
    },
    'PUT /api/webhooksubscriptions/:webhookSubscriptionId': body(() => ({ active: true })),
  };

  /** Prepares a call of a route, and returns a function that makes it. */
  const prepare = async (method: string, url: string, as = administrator) => {
    const filled = url.replace(/:(\w+)/g, (_all, parameter) => encodeURIComponent(ids[parameter] ?? ''));
    const { path = filled, options } = (await PREPARED[`${method} ${url}`]?.()) ?? {};
    return () => api.call(method, path, { as, ...options });
  };

  const sharedPatient = await api.call('POST', '/api/patients', {
    body: { clinicId, ...patientFields, externalId },
  });
  const sharedAppointment = await api.call('POST', '/api/appointments', {
    body: { clinicId, ...appointmentFields, externalId: ofAppointment },
  });
  const subscription = await subscribed();
  const path = `/api/webhooksubscriptions/${subscription}`;
  const { json: delivery } = await api.call('POST', `${path}/test`, { as: administrator });
  const since = '2030-01-01T00:00:00Z';
  const { json: redelivery } = await api.call('POST', `${path}/redeliver`, {
    as: administrator,
    body: { since },
  });
  await endDeliveries(api, response);
  ids = {
    externalId: externalId ?? '',
    patientId: sharedPatient.json._id,
    appointmentId: sharedAppointment.json._id,
    webhookSubscriptionId: subscription,
    webhookDeliveryId: delivery._id,
    redeliveryId: redelivery._id,
    operatorId: api.practice.staff._id,
    apiKeyId: await key(),
    ...(await createReadOnlyRecords(api.practice, sharedPatient.json._id)),
    ...(await createSettings(api.database, api.practice)),
    eventId: (await logEvents(api, api.practice, ['patient.created']))[0] ?? '',
    ...plantedIds,
  };
  await api.call('POST', '/api/sessions/current/confirm', {
    as: administrator,
    body: { password: api.practice.administrator.password },
  });
  return { prepare };
};
