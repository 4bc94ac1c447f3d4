import { type AuditEntry, newId } from '@chairside/domain';
import { createKey, createPractice, type Practice, plantConnection } from '@chairside/test-support';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { type ApiResponse, openTestApi, type TestApi, token } from './api.ts';
import { addPasskey, codeAt, newPasskey, plantApp } from './factors.ts';

const PASSWORD = 'a long enough password';
let api: TestApi;
let practice: Practice;
let as: string;
beforeAll(async () => {
  api = await openTestApi(['127.0.0.1']);
});
beforeEach(async () => {
  practice = await createPractice(api.store);
  as = token(practice.administrator.token);
});
afterAll(() => api.close());

const ADDRESS = '203.0.113.77';
const call = (method: string, path: string, body?: object, by = as) =>
  api.call(method, path, { as: by, headers: { 'x-forwarded-for': ADDRESS }, ...(body && { body }) });
const entries = async (filter = ''): Promise<AuditEntry[]> =>
  (await call('GET', `/api/auditentries?limit=100${filter}`)).json;
const entriesOf = async ({ headers }: ApiResponse) => entries(`&requestId=${headers.get('x-request-id')}`);

type Action = () => Promise<{ response: ApiResponse; entry: Partial<AuditEntry> }>;

const BLOCK_TIMES = { startTime: '2026-12-24T00:00:00.000Z', endTime: '2026-12-25T00:00:00.000Z' };
/** The changes of one kind of setting of the schedule, by route. */
const settingActions = (
  kind: 'provider' | 'procedure' | 'calendarBlock',
  fields: () => object,
  changes: () => AuditEntry['changes'],
): Record<string, Action> => {
  const list = `/api/${kind.toLowerCase()}s`;
  const create = async () => call('POST', list, fields());
  return {
    [`POST ${list}`]: async () => {
      const response = await create();
      return {
        response,
        entry: { action: 'created', kind, ids: [response.json._id], changes: changes() },
      };
    },
    [`PUT ${list}/:${kind}Id`]: async () => {
      const ids = [(await create()).json._id];
      const response = await call('PUT', `${list}/${ids}`, fields());
      return { response, entry: { action: 'updated', kind, ids, changes: changes() } };
    },
    [`DELETE ${list}/:${kind}Id`]: async () => {
      const ids = [(await create()).json._id];
      return { response: await call('DELETE', `${list}/${ids}`), entry: { action: 'deleted', kind, ids } };
    },
  };
};

/** Invites an operator while the service sends no mail. */
const invite = async () =>
  (await call('POST', '/api/operators', { email: `${newId()}@example.com`, role: 'staff' })).json;

const FACTORS = '/api/sessions/current/factors';
/** A change of the own factors, after the password was entered for it. */
const ownFactors = async (
  action: AuditEntry['action'],
  factor: string,
  change: () => Promise<ApiResponse>,
): ReturnType<Action> => {
  const { password, _id } = practice.administrator;
  await call('POST', '/api/sessions/current/confirm', { password, for: 'factors' });
  const changes = [{ field: 'factor', value: factor }];
  return { response: await change(), entry: { action, kind: 'operator', ids: [_id], changes } };
};

/** Each security action and change of the schedule: its call, and the entry that the call must leave. */
const ACTIONS: Record<string, Action> = {
  ...settingActions(
    'provider',
    () => ({ name: 'hidden-in-the-name', clinicIds: [practice.clinicIds[0]] }),
    () => [{ field: 'name' }, { field: 'clinicIds', value: [practice.clinicIds[0]] }],
  ),
  ...settingActions(
    'procedure',
    () => ({ name: 'hidden-in-the-name', durationMinutes: 30, bookable: false, code: null }),
    () => [
      { field: 'name' },
      { field: 'durationMinutes', value: 30 },
      { field: 'code' },
      { field: 'bookable', value: false },
    ],
  ),
  ...settingActions(
    'calendarBlock',
    () => ({ clinicId: practice.clinicIds[0], ...BLOCK_TIMES, kind: 'CLOSED' }),
    () => [
      { field: 'clinicId', value: practice.clinicIds[0] },
      { field: 'startTime', value: BLOCK_TIMES.startTime },
      { field: 'endTime', value: BLOCK_TIMES.endTime },
      { field: 'kind', value: 'CLOSED' },
    ],
  ),
  'PUT /api/clinics/:clinicId/openinghours': async () => {
    const ids = [practice.clinicIds[0]];
    const response = await call('PUT', `/api/clinics/${ids}/openinghours`, { weekdays: {}, chairs: 2 });
    const changes = [
      { field: 'weekdays' },
      { field: 'exceptions' },
      { field: 'chairs', value: 2 },
      { field: 'slotMinutes', value: 15 },
    ];
    return { response, entry: { action: 'updated', kind: 'openingHours', ids, changes } };
  },
  'POST /api/sessions': async () => {
    const { email, password, _id } = practice.administrator;
    const response = await call('POST', '/api/sessions', { email, password }, '');
    const principal = { kind: 'operator', id: _id } as const;
    return { response, entry: { action: 'signed_in', kind: 'session', ids: [response.json._id], principal } };
  },
  'POST /api/sessions/challenge': async () => {
    const { email, password, _id } = practice.administrator;
    const { recoveryCodes } = await plantApp(practice.store, _id);
    const { json } = await call('POST', '/api/sessions', { email, password }, '');
    const body = { challenge: json.details.challenge, recoveryCode: recoveryCodes[0] };
    const response = await call('POST', '/api/sessions/challenge', body, '');
    const principal = { kind: 'operator', id: _id } as const;
    return { response, entry: { action: 'signed_in', kind: 'session', ids: [response.json._id], principal } };
  },
  [`POST ${FACTORS}/codes/complete`]: () =>
    ownFactors('factor_added', 'code', async () => {
      const { secret } = (await call('POST', `${FACTORS}/codes`, {})).json;
      return call('POST', `${FACTORS}/codes/complete`, { code: codeAt(secret) });
    }),
  [`DELETE ${FACTORS}/codes`]: () =>
    ownFactors('factor_removed', 'code', async () => {
      await plantApp(practice.store, practice.administrator._id);
      return call('DELETE', `${FACTORS}/codes`);
    }),
  [`POST ${FACTORS}/passkeys/complete`]: () =>
    ownFactors('factor_added', 'passkey', async () =>
      call('POST', `${FACTORS}/passkeys/complete`, (await newPasskey(api, as)).body),
    ),
  [`PUT ${FACTORS}/passkeys/:passkeyId`]: () =>
    ownFactors('updated', 'passkey', async () =>
      call('PUT', `${FACTORS}/passkeys/${(await addPasskey(api, as)).passkeyId}`, {
        name: 'hidden-in-the-name',
      }),
    ),
  [`DELETE ${FACTORS}/passkeys/:passkeyId`]: () =>
    ownFactors('factor_removed', 'passkey', async () =>
      call('DELETE', `${FACTORS}/passkeys/${(await addPasskey(api, as)).passkeyId}`),
    ),
  [`POST ${FACTORS}/recoverycodes`]: () =>
    ownFactors('updated', 'recoveryCode', async () => {
      await plantApp(practice.store, practice.administrator._id);
      return call('POST', `${FACTORS}/recoverycodes`, {});
    }),
  'PUT /api/organization': async () => {
    await plantApp(practice.store, practice.administrator._id);
    const response = await call('PUT', '/api/organization', { requiredFactors: 'administrators' });
    const changes = [{ field: 'requiredFactors', value: 'administrators' }];
    return {
      response,
      entry: { action: 'updated', kind: 'organization', ids: [practice.organizationId], changes },
    };
  },
  'DELETE /api/operators/:operatorId/factors': async () => {
    const ids = [practice.staff._id];
    await plantApp(practice.store, practice.staff._id);
    const response = await call('DELETE', `/api/operators/${ids}/factors`);
    const changes = [{ field: 'factor', value: 'all' }];
    return { response, entry: { action: 'factor_removed', kind: 'operator', ids, changes } };
  },
  'DELETE /api/sessions/current': async () => {
    const { email, password } = practice.administrator;
    const signedIn = await call('POST', '/api/sessions', { email, password }, '');
    const response = await call('DELETE', '/api/sessions/current', undefined, token(signedIn.json.token));
    return { response, entry: { action: 'signed_out', kind: 'session', ids: [response.json._id] } };
  },
  'DELETE /api/sessions/:sessionId': async () => {
    const { email, password } = practice.administrator;
    const { _id } = (await call('POST', '/api/sessions', { email, password }, '')).json;
    const response = await call('DELETE', `/api/sessions/${_id}`);
    return { response, entry: { action: 'deleted', kind: 'session', ids: [_id] } };
  },
  'POST /api/sessions/current/confirm': async () => {
    const { password, _id } = practice.administrator;
    const response = await call('POST', '/api/sessions/current/confirm', { password });
    return { response, entry: { action: 'confirmed', kind: 'operator', ids: [_id] } };
  },
  'PUT /api/sessions/current/notices': async () => {
    const body = { newReceiverHost: false, appConnected: true };
    const response = await call('PUT', '/api/sessions/current/notices', body);
    const changes = [
      { field: 'appConnected', value: true },
      { field: 'newReceiverHost', value: false },
    ];
    return {
      response,
      entry: { action: 'updated', kind: 'operator', ids: [practice.administrator._id], changes },
    };
  },
  'PUT /api/sessions/current/password': async () => {
    const { password, _id } = practice.administrator;
    const response = await call('PUT', '/api/sessions/current/password', { password, newPassword: PASSWORD });
    return { response, entry: { action: 'password_changed', kind: 'operator', ids: [_id] } };
  },
  'POST /api/sessions/current/tokens': async () => {
    const [clinicId] = practice.clinicIds;
    const body = { name: 'hidden-in-the-name', access: 'webhooks', clinicIds: [clinicId] };
    const response = await call('POST', '/api/sessions/current/tokens', body);
    const changes = [
      { field: 'name' },
      { field: 'lifetimeDays', value: 90 },
      { field: 'access', value: 'webhooks' },
      { field: 'clinicIds', value: [clinicId] },
    ];
    return {
      response,
      entry: { action: 'token_created', kind: 'session', ids: [response.json._id], changes },
    };
  },
  'POST /api/operators': async () => {
    const email = `new.${practice.organizationId}@example.com`;
    const response = await call('POST', '/api/operators', { email, password: PASSWORD, role: 'staff' });
    const changes = [{ field: 'email' }, { field: 'password' }, { field: 'role', value: 'staff' }];
    return { response, entry: { action: 'created', kind: 'operator', ids: [response.json._id], changes } };
  },
  'PUT /api/operators/:operatorId': async () => {
    const ids = [practice.staff._id];
    const response = await call('PUT', `/api/operators/${ids}`, { role: 'administrator', active: false });
    const changes = [
      { field: 'role', value: 'administrator' },
      { field: 'active', value: false },
    ];
    return { response, entry: { action: 'updated', kind: 'operator', ids, changes } };
  },
  'DELETE /api/operators/:operatorId': async () => {
    const ids = [practice.staff._id];
    return {
      response: await call('DELETE', `/api/operators/${ids}`),
      entry: { action: 'deleted', kind: 'operator', ids },
    };
  },
  'POST /api/operators/:operatorId/invitation': async () => {
    const ids = [(await invite())._id];
    const response = await call('POST', `/api/operators/${ids}/invitation`, {});
    return { response, entry: { action: 'invited', kind: 'operator', ids } };
  },
  'POST /api/invitations/complete': async () => {
    const { _id, invitationUrl } = await invite();
    const body = { secret: new URL(invitationUrl).hash.slice(1), password: PASSWORD };
    const response = await call('POST', '/api/invitations/complete', body, '');
    const principal = { kind: 'operator', id: _id } as const;
    return { response, entry: { action: 'invitation_completed', kind: 'operator', ids: [_id], principal } };
  },
  'DELETE /api/operators/:operatorId/sessions': async () => {
    const ids = [practice.staff._id];
    return {
      response: await call('DELETE', `/api/operators/${ids}/sessions`),
      entry: { action: 'sessions_ended', kind: 'operator', ids },
    };
  },
  'POST /api/apikeys': async () => {
    const response = await call('POST', '/api/apikeys', {
      name: 'x',
      scopes: ['clinics:read'],
      rateLimit: 7,
    });
    const changes = [
      { field: 'name' },
      { field: 'scopes', value: ['clinics:read'] },
      { field: 'rateLimit', value: 7 },
    ];
    return { response, entry: { action: 'created', kind: 'apiKey', ids: [response.json._id], changes } };
  },
  'PUT /api/apikeys/:apiKeyId': async () => {
    const ids = [await keyId()];
    const response = await call('PUT', `/api/apikeys/${ids}`, { scopes: ['patients:write'] });
    const changes = [{ field: 'scopes', value: ['patients:write'] }];
    return { response, entry: { action: 'updated', kind: 'apiKey', ids, changes } };
  },
  'DELETE /api/apikeys/:apiKeyId': async () => {
    const ids = [await keyId()];
    return {
      response: await call('DELETE', `/api/apikeys/${ids}`),
      entry: { action: 'deleted', kind: 'apiKey', ids },
    };
  },
  'POST /api/apikeys/:apiKeyId/reveal': async () => {
    const ids = [await keyId()];
    const { password } = practice.administrator;
    const response = await call('POST', `/api/apikeys/${ids}/reveal`, { password });
    return { response, entry: { action: 'revealed', kind: 'apiKey', ids } };
  },
  'POST /api/apikeys/:apiKeyId/rotate': async () => {
    const ids = [await keyId()];
    const response = await call('POST', `/api/apikeys/${ids}/rotate`, { overlapHours: 1 });
    return {
      response,
      entry: { action: 'rotated', kind: 'apiKey', ids, changes: [{ field: 'overlapHours', value: 1 }] },
    };
  },
  'DELETE /api/connections/:connectionId': async () => {
    const { organizationId, staff } = practice;
    const ids = [await plantConnection(api.database, { organizationId, operatorId: staff._id })];
    return {
      response: await call('DELETE', `/api/connections/${ids}`),
      entry: { action: 'deleted', kind: 'connection', ids },
    };
  },
  'POST /api/webhooksubscriptions': async () => {
    const response = await createSubscription();
    const changes = [
      { field: 'url', value: 'example.com' },
      { field: 'newHost', value: true },
      { field: 'clinicId', value: practice.clinicIds[0] },
      { field: 'events', value: [] },
      { field: 'payload', value: 'full' },
      { field: 'active', value: true },
    ];
    return {
      response,
      entry: { action: 'created', kind: 'webhookSubscription', ids: [response.json._id], changes },
    };
  },
  'PUT /api/webhooksubscriptions/:webhookSubscriptionId': async () => {
    const ids = [(await createSubscription()).json._id];
    const url = 'https://other.example.com:8443/?key=hidden-in-the-url';
    const response = await call('PUT', `/api/webhooksubscriptions/${ids}`, { url, active: false });
    const changes = [
      { field: 'url', value: 'other.example.com:8443', before: 'example.com' },
      { field: 'newHost', value: true },
      { field: 'active', value: false },
    ];
    return { response, entry: { action: 'updated', kind: 'webhookSubscription', ids, changes } };
  },
  'DELETE /api/webhooksubscriptions/:webhookSubscriptionId': async () => {
    const ids = [(await createSubscription()).json._id];
    return {
      response: await call('DELETE', `/api/webhooksubscriptions/${ids}`),
      entry: { action: 'deleted', kind: 'webhookSubscription', ids },
    };
  },
  'POST /api/webhooksubscriptions/:webhookSubscriptionId/test': async () => {
    const ids = [(await createSubscription()).json._id];
    const response = await call('POST', `/api/webhooksubscriptions/${ids}/test`);
    return { response, entry: { action: 'tested', kind: 'webhookSubscription', ids, changes: TO_EXAMPLE } };
  },
  'POST /api/webhookdeliveries/:webhookDeliveryId/redeliver': async () => {
    const ids = [await failedDelivery((await createSubscription()).json._id)];
    const response = await call('POST', `/api/webhookdeliveries/${ids}/redeliver`);
    return { response, entry: { action: 'redelivered', kind: 'webhookDelivery', ids, changes: TO_EXAMPLE } };
  },
  'POST /api/webhooksubscriptions/:webhookSubscriptionId/redeliver': async () => {
    const { _id } = (await createSubscription()).json;
    const period = { since: '2030-01-31T00:00:00.000Z', outcomes: ['failed'] };
    const response = await call('POST', `/api/webhooksubscriptions/${_id}/redeliver`, period);
    const changes = [
      ...TO_EXAMPLE,
      { field: 'since', value: period.since },
      { field: 'outcomes', value: period.outcomes },
    ];
    const ids = [_id, response.json._id];
    return { response, entry: { action: 'redelivered', kind: 'webhookSubscription', ids, changes } };
  },
  'DELETE /api/webhooksubscriptions/:webhookSubscriptionId/redeliveries/:redeliveryId': async () => {
    const { _id } = (await createSubscription()).json;
    const started = await call('POST', `/api/webhooksubscriptions/${_id}/redeliver`, {
      since: '2030-01-31T00:00:00.000Z',
    });
    const ids = [_id, started.json._id];
    const response = await call('DELETE', `/api/webhooksubscriptions/${_id}/redeliveries/${ids[1]}`);
    return { response, entry: { action: 'redelivery_stopped', kind: 'webhookSubscription', ids } };
  },
};
/** The `changes` of an entry that show the host to which the subscriptions of these tests send. */
const TO_EXAMPLE = [{ field: 'url', value: 'example.com' }];
/** Creates a delivery and ends it as failed, as the dispatcher does. @returns its id */
const failedDelivery = async (subscriptionId: string): Promise<string> => {
  const { _id } = (await call('POST', `/api/webhooksubscriptions/${subscriptionId}/test`)).json;
  const { deliveries } = api.store.everyOrganization;
  const queued = { _id, organizationId: practice.organizationId, subscriptionId };
  const [delivery] = await deliveries.claim([queued], crypto.randomUUID(), 'worker-1');
  if (delivery === undefined) throw new Error('the delivery was not queued');
  const outcome = {
    outcome: 'failed',
    cause: 'status',
    statusCode: 500,
    responseBody: 'patient data',
  } as const;
  const timings = { attemptTime: new Date(), duration: 1, timings: {}, reason: 'status 500' };
  await deliveries.finish([{ delivery, outcome: { ...outcome, ...timings } }], new Date());
  return _id;
};
const keyId = async (): Promise<string> =>
  (await createKey(practice.store, { name: 'x', scopes: [], rateLimit: 5 }, new Date()))._id;
const createSubscription = () =>
  call('POST', '/api/webhooksubscriptions', {
    clinicId: practice.clinicIds[0],
    url: 'https://example.com/?key=hidden-in-the-url',
  });

/** They change nothing, although they are POSTs: the challenges and the secret that they store have no effect alone. */
const WITHOUT_EFFECT = [
  'POST /api/clinics/:clinicId/openinghours/preview',
  'POST /api/sessions/passkey',
  `POST ${FACTORS}/codes`,
  `POST ${FACTORS}/passkeys`,
];

test('the table above contains every changing route that only operators may call', () => {
  const changing = api.app.routeList
    .filter(({ method, url, access }) => {
      // The requests for a new password are audited after their response: operator-links/routes.service.test.ts.
      const isReset = url.startsWith('/api/passwordresets');
      const isForOperators = access === 'public' ? !isReset : 'role' in access;
      return isForOperators && method !== 'GET' && method !== 'HEAD';
    })
    .map(({ method, url }) => `${method} ${url}`)
    .filter((route) => !WITHOUT_EFFECT.includes(route));
  expect(changing.sort()).toEqual(Object.keys(ACTIONS).sort());
});

test.each(Object.keys(ACTIONS))(
  '%s leaves one entry with principal, address, action and result',
  async (route) => {
    const { response, entry } = (await ACTIONS[route]?.()) ?? {};
    if (response === undefined) throw new Error(`${route} has no call`);
    expect(response.status).toBe(200);
    const again = route.endsWith('password') ? await signInAgain() : as;
    const { json } = await call(
      'GET',
      `/api/auditentries?requestId=${response.headers.get('x-request-id')}`,
      undefined,
      again,
    );
    expect(json).toEqual([
      {
        _id: expect.any(String),
        time: expect.any(String),
        principal: { kind: 'operator', id: practice.administrator._id },
        address: ADDRESS,
        result: 'ok',
        requestId: response.headers.get('x-request-id'),
        ...entry,
      },
    ]);
    const stored = JSON.stringify(await api.database.collection('auditEntries').find().toArray());
    for (const secret of [
      PASSWORD,
      practice.administrator.password,
      'hidden-in-the-url',
      'hidden-in-the-name',
      response.json.secret,
      response.json.token,
    ])
      if (secret !== undefined) expect(stored).not.toContain(secret);
  },
);
const signInAgain = async () => {
  const { email } = practice.administrator;
  return token((await call('POST', '/api/sessions', { email, password: PASSWORD }, '')).json.token);
};

test('a refused action leaves an entry with the name of the refusal and without ids of another organization', async () => {
  const missing = await call('DELETE', `/api/operators/${api.stranger.staff._id}`);
  expect(missing.status).toBe(404);
  expect(await entriesOf(missing)).toMatchObject([{ action: 'deleted', result: 'NotFound', ids: [] }]);
  const last = await call('PUT', `/api/operators/${practice.administrator._id}`, { role: 'staff' });
  expect(last.status).toBe(409);
  expect(await entriesOf(last)).toMatchObject([{ action: 'updated', result: 'Conflict' }]);
  const wrong = await call('POST', '/api/sessions/current/confirm', { password: 'wrong' });
  expect(await entriesOf(wrong)).toMatchObject([{ action: 'confirmed', result: 'Forbidden' }]);
});

test('refused sign-ins share one entry per operator, network and minute; an unknown e-mail address leaves none', async () => {
  const { email, _id } = practice.staff;
  const signIn = (name: string, address: string) =>
    api.call('POST', '/api/sessions', {
      as: '',
      body: { email: name, password: 'wrong' },
      headers: { 'x-forwarded-for': address },
    });
  const unknown = `nobody.${practice.organizationId}@example.com`;
  await Promise.all([
    ...[1, 2, 3, 4].map(() => signIn(email, '198.51.100.7')),
    signIn(email, '198.51.100.8'),
    signIn(unknown, '198.51.100.9'),
  ]);
  const refused = async () =>
    (await entries('&action=signed_in')).filter(({ result }) => result === 'refused');
  const counted = async () => (await refused()).reduce((sum, { count = 0 }) => sum + count, 0);
  await expect.poll(counted).toBe(5);
  const found = await refused();
  // The attempts come from two networks, and may fall into two minutes.
  expect(new Set(found.map(({ address }) => address))).toEqual(new Set(['198.51.100.7', '198.51.100.8']));
  expect(found.length).toBeLessThanOrEqual(3);
  for (const entry of found)
    expect(entry).toMatchObject({
      kind: 'operator',
      ids: [_id],
      principal: { kind: 'unknown', id: 'unknown' },
    });
  expect(await api.database.collection('auditEntries').countDocuments({ address: '198.51.100.9' })).toBe(0);
  expect(api.logs.join()).toContain('sign-in with an unknown e-mail address refused');
  expect(api.logs.join()).not.toContain(unknown);
  expect((await api.metrics.expose()).text).toMatch(/^chairside_api_sign_ins_total\{outcome="unknown"\} 1$/m);
});

test('the entry of a sign-in names the session that it has ended', async () => {
  const { email, password } = practice.staff;
  const signIn = async () => (await call('POST', '/api/sessions', { email, password }, '')).json;
  const [first] = await api.database
    .collection('sessions')
    .find({ operatorId: practice.staff._id }, { sort: { usedTime: 1 } })
    .toArray();
  const signedIn = [];
  for (
    let count = await api.database.collection('sessions').countDocuments({ operatorId: practice.staff._id });
    count < 21;
    count++
  )
    signedIn.push(await signIn());
  const found = await entries('&action=signed_in&kind=session');
  const changes = [{ field: 'endedSessions', value: [first?._id] }];
  expect(found.filter(({ changes }) => changes !== undefined)).toMatchObject([
    { ids: [signedIn.at(-1)._id], result: 'ok', changes },
  ]);
});

test('stores the entry before the action, so a process that crashes during it leaves `begun`', async () => {
  const { store } = practice;
  const action = { action: 'deleted', kind: 'apiKey', ids: ['x'], address: ADDRESS } as const;
  const principal = { kind: 'operator', id: practice.administrator._id } as const;
  const end = await store.audit.begin({ ...action, ids: ['x'], principal, requestId: 'died' });
  expect(await entries('&requestId=died')).toMatchObject([{ result: 'begun', ids: ['x'] }]);
  await end({ result: 'ok', ids: ['y'] });
  expect(await entries('&requestId=died')).toMatchObject([{ result: 'ok', ids: ['y'] }]);
});

test('reading one delivery leaves an entry, because a receiver may return what it was sent', async () => {
  const _id = await failedDelivery((await createSubscription()).json._id);
  const principal = { kind: 'operator', id: practice.administrator._id };
  const entry = { action: 'read', kind: 'webhookDelivery', ids: [_id], principal };
  const read = await call('GET', `/api/webhookdeliveries/${_id}`);
  expect(read.json.responseBody).toBe('patient data');
  expect(await entriesOf(read)).toMatchObject([{ ...entry, result: 'ok' }]);
  const head = await call('HEAD', `/api/webhookdeliveries/${_id}`);
  expect(await entriesOf(head)).toMatchObject([{ ...entry, result: 'headers' }]);
  const missing = await call('GET', '/api/webhookdeliveries/unknown');
  expect(await entriesOf(missing)).toEqual([]);
});

test('lists of deliveries have nothing that a receiver has responded', async () => {
  const subscriptionId = (await createSubscription()).json._id;
  const _id = await failedDelivery(subscriptionId);
  for (const path of [
    '/api/webhookdeliveries?limit=1000',
    '/api/webhookdeliveries?unrepaired=true',
    `/api/webhooksubscriptions/${subscriptionId}/deliveries`,
  ]) {
    const { json } = await call('GET', path);
    expect(json.map((each: { _id: string }) => each._id)).toContain(_id);
    expect(JSON.stringify(json)).not.toMatch(/patient data|response(Body|Headers)/);
  }
});

test('a repeated redelivery leaves an entry, because it returns what the receiver has responded', async () => {
  const _id = await failedDelivery((await createSubscription()).json._id);
  const redeliver = () =>
    api.call('POST', `/api/webhookdeliveries/${_id}/redeliver`, {
      as,
      headers: { 'idempotency-key': 'redelivered-twice' },
    });
  const first = await redeliver();
  expect(first.status).toBe(200);
  const again = await redeliver();
  expect(again.headers.get('idempotent-replayed')).toBe('true');
  const ids = [first.json._id];
  expect(await entriesOf(again)).toMatchObject([{ action: 'read', kind: 'webhookDelivery', ids }]);
});

test('reading the audit log leaves one entry for a session and a filter', async () => {
  const listed = async () =>
    (await entries('&action=listed&kind=auditEntry')).map(({ principal, address, changes, result }) => ({
      by: principal.id,
      address,
      changes,
      result,
    }));
  // All calls are in the same period.
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  await Promise.all(Array.from({ length: 5 }, () => call('GET', '/api/auditentries?recordId=p1&limit=1')));
  const by = practice.administrator._id;
  const own = { field: 'action', value: ['listed'] };
  // Both entries have the time at which their period began, so their order is that of their ids.
  expect((await listed()).sort((a, b) => (a.changes?.length ?? 0) - (b.changes?.length ?? 0))).toEqual([
    { by, address: ADDRESS, result: 'ok', changes: [{ field: 'recordId', value: 'p1' }] },
    { by, address: ADDRESS, result: 'ok', changes: [{ field: 'kind', value: ['auditEntry'] }, own] },
  ]);
});
