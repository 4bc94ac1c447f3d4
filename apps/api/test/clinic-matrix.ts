import { newId, scopes } from '@chairside/domain';
import { basic, createKey, quickPasswords } from '@chairside/test-support';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openTestApi, type TestApi, token } from './api.ts';
import { logEvents, recordOf } from './logged-events.ts';
import { createReadOnlyRecords, createSettings } from './read-only-records.ts';

/*
 * Who reaches what: every kind of credentials, with every route, filter and reference, and with what belongs to the own
 * clinic, to another clinic, to a record that has moved there, and to another organization. What a caller may not see must
 * look as if it did not exist. The routes and filters are those of the app.
 */

const PLACES = ['own', 'other', 'moved', 'foreign', 'missing'] as const;
type Place = (typeof PLACES)[number];
/** The ids and values of a place, by the names of parameters, filters and references. */
type Values = Readonly<Record<string, string>>;

/** What belongs to the organization. */
const EVERYWHERE: readonly Place[] = ['own', 'other', 'moved'];
const SEES = {
  'an API key': EVERYWHERE,
  'an API key of a clinic': ['own'],
  'an API key of two clinics': EVERYWHERE,
  'a program token': EVERYWHERE,
  'a program token of a clinic': ['own'],
  staff: EVERYWHERE,
  'an administrator': EVERYWHERE,
  nobody: [],
} satisfies Record<string, readonly Place[]>;
export type Caller = keyof typeof SEES;
/** The callers whom `npm test` has; the long tests have the others. */
export const OF_EACH_REACH: readonly Caller[] = [
  'an API key of a clinic',
  'an API key of two clinics',
  'a program token of a clinic',
  'an administrator',
];
export const OTHERS = (Object.keys(SEES) as Caller[]).filter((caller) => !OF_EACH_REACH.includes(caller));

const seenBy = (caller: Caller): readonly Place[] => SEES[caller];

let api: TestApi;
let world: Record<Place, Values>;
/** The `Authorization` of each caller. */
let credentials: Record<Caller, string>;

/** What identifies a patient. */
const identity = () => {
  const name = `canary${newId().slice(-12).toLowerCase()}`;
  const number = String(Math.random()).slice(2, 10);
  return { name, externalId: `${name}:1`, email: `${name}@example.com`, phone: `+49 ${number}` };
};

const createPatient = async (as: string, clinicId: string, providerId?: string): Promise<Values> => {
  const own = identity();
  const patient = await api.call('POST', '/api/patients', { as, body: { clinicId, ...own } });
  const { externalId } = own;
  const references = { patientId: patient.json._id, ...(providerId !== undefined && { providerId }) };
  const body = { clinicId, externalId, ...references };
  const appointment = await api.call('POST', '/api/appointments', { as, body });
  return { ...own, patientId: patient.json._id, appointmentId: appointment.json._id };
};

/** Fills a clinic with one thing of each kind. */
const plantClinic = async (practice: TestApi['practice'], clinicId: string): Promise<Values> => {
  const as = token(practice.administrator.token);
  const here = { ...practice, clinicIds: [clinicId, clinicId] as const };
  const settings = await createSettings(api.database, here);
  await api.database
    .collection<{ _id: string }>('procedures')
    .updateOne({ _id: settings.procedureId }, { $set: { clinicIds: [clinicId] } });
  const patient = await createPatient(basic(practice.apiKey), clinicId, settings.providerId);
  const { name = '', patientId = '' } = patient;
  const sent = { clinicId, url: `https://${name}.example.com` };
  const { json: subscription } = await api.call('POST', '/api/webhooksubscriptions', { as, body: sent });
  const path = `/api/webhooksubscriptions/${subscription._id}`;
  const delivery = await api.call('POST', `${path}/test`, { as });
  const since = { since: '2030-01-01T00:00:00Z' };
  const redelivery = await api.call('POST', `${path}/redeliver`, { as, body: since });
  const [eventId = ''] = await logEvents(api, here, ['patient.created'], undefined, (event, id) => ({
    ...recordOf(event, id),
    name,
  }));
  return {
    ...patient,
    ...settings,
    ...(await createReadOnlyRecords(here, patientId)),
    eventId,
    webhookSubscriptionId: subscription._id,
    webhookDeliveryId: delivery.json._id,
    redeliveryId: redelivery.json._id,
  };
};

const openWorld = async (): Promise<void> => {
  api = await openTestApi(['127.0.0.1'], [], { passwords: quickPasswords });
  const { practice, stranger } = api;
  const [ownId, otherId] = practice.clinicIds;
  const [own, other] = [await plantClinic(practice, ownId), await plantClinic(practice, otherId)];
  const moved = await createPatient(basic(practice.apiKey), ownId);
  for (const path of [`/api/patients/${moved.patientId}`, `/api/appointments/${moved.appointmentId}`])
    await api.call('PUT', path, { body: { clinicId: otherId } });
  const missing = { ...Object.fromEntries(Object.keys(own).map((name) => [name, newId()])), ...identity() };
  world = { own, other, moved, foreign: await plantClinic(stranger, stranger.clinicIds[0]), missing };

  const keyOf = async (clinicIds: string[]) => {
    const key = { name: 'x', rateLimit: 100_000, scopes: [...scopes], clinicIds };
    return basic((await createKey(practice.store, key, new Date())).secret);
  };
  const administrator = token(practice.administrator.token);
  const programToken = async (clinics: object) => {
    const body = { name: 'x', access: 'webhooks', ...clinics };
    const made = await api.call('POST', '/api/sessions/current/tokens', { as: administrator, body });
    return token(made.json.token);
  };
  credentials = {
    'an API key': basic(practice.apiKey),
    'an API key of a clinic': await keyOf([ownId]),
    'an API key of two clinics': await keyOf([ownId, otherId]),
    'a program token': await programToken({}),
    'a program token of a clinic': await programToken({ clinicIds: [ownId] }),
    staff: token(practice.staff.token),
    'an administrator': administrator,
    nobody: '',
  };
};

type Asked = { method: string; path: string; body?: object | undefined; values: Values };

/**
 * Makes a call, and checks that its response has nothing that the caller may not see, except what the caller has sent.
 *
 * @returns what the response says, without what differs between equal requests
 */
const ask = async (caller: Caller, { method, path, body, values }: Asked) => {
  const address = Array.from({ length: 3 }, () => Math.floor(Math.random() * 256)).join('.');
  const headers = { 'x-forwarded-for': `10.${address}` };
  const as = credentials[caller];
  const response = await api.call(method, path, { as, headers, ...(body && { body }) });
  const { status, text, json } = response;
  const received = [...response.headers.values(), text].join('\n');
  const sent = new Set(Object.values(values));
  const seen = new Set(seenBy(caller).flatMap((place) => Object.values(world[place])));
  const leaks = PLACES.flatMap((place) =>
    Object.entries(world[place])
      .filter(([, value]) => !sent.has(value) && !seen.has(value) && received.includes(value))
      .map(([name]) => `${place} ${name}`),
  );
  expect({ caller, method, path, leaks }).toEqual({ caller, method, path, leaks: [] });
  const requestIds = [
    json?.details?.requestId,
    ...(json?.results ?? []).map((each: any) => each.error?.details.requestId),
  ];
  let same = text;
  for (const id of requestIds) if (id !== undefined) same = same.replaceAll(id, 'requestId');
  for (const [name, value] of Object.entries(values)) same = same.replaceAll(value, name);
  return { status, headers: [...response.headers.keys()].sort(), text: same };
};

/** Asks with what a caller may not see, and expects the response for what does not exist. @returns how often it asked */
const expectNothing = async (caller: Caller, asked: (values: Values) => Asked): Promise<number> => {
  const nothing = await ask(caller, asked(world.missing));
  const hidden = PLACES.filter((place) => place !== 'missing' && !seenBy(caller).includes(place));
  let count = 0;
  for (const place of hidden) {
    const request = asked(world[place]);
    // A record that has moved is at another clinic, whose other things are tried on their own.
    if (Object.values(request.values).includes(undefined as never)) continue;
    const { method, path, body } = request;
    expect({ caller, method, path, body, ...(await ask(caller, request)) }).toEqual({
      caller,
      method,
      path,
      body,
      ...nothing,
    });
    count++;
  }
  return count;
};

const filled = (url: string, values: Values): string =>
  url.replace(/:(\w+)/g, (_all, name) => encodeURIComponent(values[name] ?? 'x'));
const only = (values: Values, names: readonly string[]): Values =>
  Object.fromEntries(names.map((name) => [name, values[name] as string]));
const parametersOf = (url: string): string[] => [...url.matchAll(/:(\w+)/g)].map(([, name = '']) => name);

/** The smallest body that a route accepts. */
const bodyOf = (method: string, url: string): object | undefined => {
  if (method !== 'POST' && method !== 'PUT') return undefined;
  if (/subscriptions.*redeliver$/.test(url)) return { since: '2030-01-01T00:00:00Z' };
  if (url.endsWith('/openinghours')) return { weekdays: {} };
  if (!url.endsWith('/preview')) return {};
  return { from: '2030-01-07', to: '2030-01-07', durationMinutes: 30, hours: { weekdays: {} } };
};

/** The parameters of routes for things that belong to no clinic. */
const OF_NO_CLINIC = /:(apiKeyId|operatorId|sessionId|connectionId)\b/;

/** References to records, in the bodies of what a key may write. */
const REFERENCES: readonly [
  method: string,
  path: string,
  body: (values: Values, own: Values) => object,
  names: string[],
][] = [
  ['POST', '/api/patients', ({ clinicId }) => ({ clinicId }), ['clinicId']],
  ['PUT', '/api/patients/:patientId', ({ clinicId }) => ({ clinicId }), ['clinicId']],
  ...(['clinicId', 'patientId', 'providerId', 'patientExternalId'] as const).flatMap(
    (name): (typeof REFERENCES)[number][] => {
      const valueName = name === 'patientExternalId' ? 'externalId' : name;
      return [
        [
          'POST',
          '/api/appointments',
          (values, { clinicId }) => ({ clinicId, [name]: values[valueName] }),
          [valueName],
        ],
        ['PUT', '/api/appointments/:appointmentId', (values) => ({ [name]: values[valueName] }), [valueName]],
        [
          'POST',
          '/api/batch',
          (values, { clinicId }) => ({
            writes: [
              { method: 'create', kind: 'appointment', body: { clinicId, [name]: values[valueName] } },
            ],
          }),
          [valueName],
        ],
      ];
    },
  ),
  ...(['update', 'delete'] as const).flatMap((method) =>
    (['patient', 'appointment'] as const).flatMap((kind): (typeof REFERENCES)[number][] => {
      const body = method === 'update' ? { body: {} } : {};
      return [
        [
          'POST',
          '/api/batch',
          (values) => ({ writes: [{ method, kind, _id: values[`${kind}Id`], ...body }] }),
          [`${kind}Id`],
        ],
        [
          'POST',
          '/api/batch',
          ({ externalId }) => ({ writes: [{ method, kind, externalId, ...body }] }),
          ['externalId'],
        ],
      ];
    }),
  ),
  ['POST', '/api/patients/search', ({ name }) => ({ name }), ['name']],
  ['POST', '/api/patients/search', ({ phone }) => ({ phone }), ['phone']],
  ['POST', '/api/patients/search', ({ email }) => ({ email }), ['email']],
  ['POST', '/api/patients/search', ({ clinicId }) => ({ clinicId }), ['clinicId']],
  ['POST', '/api/patients/search', ({ patientId }) => ({ _ids: [patientId] }), ['patientId']],
  ['POST', '/api/patients/search', ({ externalId }) => ({ externalId }), ['externalId']],
  [
    'POST',
    '/api/webhooksubscriptions',
    ({ clinicId }) => ({ clinicId, url: 'https://example.com' }),
    ['clinicId'],
  ],
];

const SEARCHED = { from: '2030-01-07', to: '2030-01-07' };

const testCaller = (caller: Caller): void => {
  test('reaches one record where it may, and elsewhere none', async () => {
    let compared = 0;
    for (const { method, url } of api.app.routeList) {
      const names = parametersOf(url);
      if (names.length === 0 || OF_NO_CLINIC.test(url)) continue;
      const body = bodyOf(method, url);
      const asked = (values: Values) => ({
        method,
        path: filled(url, values),
        body,
        values: only(values, names),
      });
      compared += await expectNothing(caller, asked);
      if (method !== 'GET') continue;
      const { status: without } = await ask(caller, asked(world.missing));
      const expected = without === 404 ? 200 : without;
      for (const place of ['own', 'other'] as const) {
        if (!seenBy(caller).includes(place)) continue;
        expect({ url, place, status: (await ask(caller, asked(world[place]))).status }).toEqual({
          url,
          place,
          status: expected,
        });
      }
    }
    expect(compared).toBeGreaterThan(25);
  });

  test('finds in lists only what it may see, whatever it filters by', async () => {
    const { paths } = JSON.parse(api.app.openApi);
    const lists = Object.entries<any>(paths).filter(
      ([, { get }]) => get?.responses['200']?.content?.['application/json']?.schema?.type === 'array',
    );
    let compared = 0;
    for (const [path, { get }] of lists) {
      const url = filled(path.replace(/\{(\w+)\}/g, ':$1'), world.own);
      await ask(caller, { method: 'GET', path: url, values: {} });
      const singular = `${path.slice('/api/'.length, -1)}Id`;
      const inQuery = (get.parameters ?? []).filter((each: { in: string }) => each.in === 'query');
      for (const { name: filter } of inQuery as { name: string }[]) {
        const name = { _ids: singular, recordId: 'patientId' }[filter] ?? filter;
        if (world.own[name] === undefined) continue;
        compared += await expectNothing(caller, (values) => ({
          method: 'GET',
          path: `${url}?${new URLSearchParams({ [filter]: values[name] ?? '' })}`,
          values: only(values, [name]),
        }));
      }
    }
    expect(compared).toBeGreaterThan(25);
  });

  test('names in a body, or in a search for free slots, only what it may see', async () => {
    for (const [method, url, body, names] of REFERENCES)
      await expectNothing(caller, (values) => ({
        method,
        path: filled(url, world.own),
        body: body(values, world.own),
        values: only(values, names),
      }));
    for (const name of ['clinicId', 'procedureId', 'providerId'])
      await expectNothing(caller, (values) => {
        const { clinicId = '' } = world.own;
        const length = name === 'procedureId' ? {} : { durationMinutes: '30' };
        const query = new URLSearchParams({ ...SEARCHED, clinicId, ...length, [name]: values[name] ?? '' });
        return { method: 'GET', path: `/api/availability?${query}`, values: only(values, [name]) };
      });
  });
};

/** Tests what some kinds of credentials reach. */
export const testCallers = (callers: readonly Caller[]): void => {
  beforeAll(openWorld);
  afterAll(() => api.close());
  describe.each([...callers])('%s', testCaller);
};
