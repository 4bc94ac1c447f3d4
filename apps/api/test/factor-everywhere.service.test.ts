import { createPractice, type Practice, quickPasswords } from '@chairside/test-support';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestApi, type TestApi, token } from './api.ts';
import { plantApp } from './factors.ts';

/*
 * With a factor, a password alone gives no session, token, grant or secret. The tests iterate over the OpenAPI document and
 * the app's own list of routes, so that no route can be forgotten. The routes of the dashboard are in its own tests.
 */

let api: TestApi;
let practice: Practice;
beforeAll(async () => {
  api = await openTestApi(['127.0.0.1'], [], { passwords: quickPasswords });
  practice = await createPractice(api.store);
  await plantApp(practice.store, practice.administrator._id);
  // A stolen session: it is alive, and its password was entered long ago.
  await api.database
    .collection('sessions')
    .updateMany({ operatorId: practice.administrator._id }, { $set: { confirmedTime: new Date(0) } });
});
afterAll(() => api.close());

type Route = { method: string; url: string; access: unknown };
type Operation = { requestBody?: unknown; responses?: Record<string, unknown> };

/** The names of all fields of a part of a document, also of the schemas that it refers to. */
const fieldsIn = (document: any, part: any, known = new Set<string>()): string[] => {
  if (typeof part !== 'object' || part === null) return [];
  const name = part.$ref?.split('/').at(-1);
  if (name !== undefined) {
    if (known.has(name)) return [];
    return fieldsIn(document, document.components.schemas[name], known.add(name));
  }
  return Object.entries<any>(part).flatMap(([key, value]) => [
    ...(key === 'properties' ? Object.keys(value) : []),
    ...fieldsIn(document, value, known),
  ]);
};

const GIVEN = ['token', 'secret', 'uri', 'invitationUrl', 'recoveryCodes'];

/** The routes that take a password, or give something that opens a practice. */
const guardedRoutes = (
  document: any,
  routes: readonly Route[],
): { route: string; takesPassword: boolean }[] =>
  routes.flatMap(({ method, url }) => {
    const operation: Operation = document.paths[url.replace(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()] ?? {};
    const takesPassword = fieldsIn(document, operation.requestBody).includes('password');
    const gives = fieldsIn(document, operation.responses?.['200']).some((field) => GIVEN.includes(field));
    return takesPassword || gives ? [{ route: `${method} ${url}`, takesPassword }] : [];
  });

/** What an attacker sends who knows the password, and has the stolen session where one is needed. */
const BODIES: Readonly<Record<string, () => Promise<{ as?: string; path?: string; body: object }>>> = {
  'POST /api/sessions': async () => {
    const { email, password } = practice.administrator;
    return { as: '', body: { email, password } };
  },
  'POST /api/sessions/current/confirm': async () => ({ body: { password: practice.administrator.password } }),
  'PUT /api/sessions/current/password': async () => ({
    body: { password: practice.administrator.password, newPassword: 'staple of the horse' },
  }),
  'POST /api/apikeys/:apiKeyId/reveal': async () => {
    const [key] = await api.database
      .collection('apiKeys')
      .find({ organizationId: practice.organizationId })
      .toArray();
    return {
      path: `/api/apikeys/${key?._id}/reveal`,
      body: { password: practice.administrator.password },
    };
  },
  'POST /api/passwordresets/complete': async () => {
    const { email, _id } = practice.administrator;
    await api.store.everyOrganization.operatorLinks.requestReset(email, new Date());
    const mail = await api.database.collection<{ _id: string }>('mails').findOne({ operatorId: _id });
    const cipher = await api.store.ciphers.of(practice.organizationId);
    const place = { collection: 'mails', _id: mail?._id ?? '', field: 'sealed' };
    const { link } = JSON.parse(cipher.open((mail as { sealed?: unknown } | null)?.sealed, place));
    return { as: '', body: { secret: link.secret, password: 'staple of the horse' } };
  },
};

/** Routes that need no factor, and why. */
const WITHOUT_FACTOR: Readonly<Record<string, string>> = {
  'POST /api/sessions/challenge': 'it takes the factor',
  'POST /api/invitations/complete':
    'an operator who was invited has no factor yet, and the route gives no session',
  'GET /api/sessions/current/factors': 'it says how many recovery codes are left',
  'POST /api/webhooksubscriptions':
    'it takes no password; the secret is that of the new subscription, and opens nothing here',
};

type Call = (
  method: string,
  path: string,
  as: string,
  body: object,
) => Promise<{ status: number; json: any }>;

/** What a password alone gives, or what nobody has decided. */
const findingsOf = async (document: any, routes: readonly Route[], call: Call): Promise<string[]> => {
  const findings: string[] = [];
  for (const { route, takesPassword } of guardedRoutes(document, routes)) {
    if (WITHOUT_FACTOR[route] !== undefined) continue;
    const [method = '', url = ''] = route.split(' ');
    const made = BODIES[route];
    const needsConfirmation = routes.some(
      ({ access, ...each }) =>
        `${each.method} ${each.url}` === route &&
        typeof access === 'object' &&
        access !== null &&
        'confirmed' in access,
    );
    if (made === undefined && takesPassword && !needsConfirmation) findings.push(`${route} has no body`);
    const {
      as = token(practice.administrator.token),
      path = url.replace(/:\w+/g, 'x'),
      body,
    } = (await made?.()) ?? { body: {} };
    const { status, json } = await call(method, path, as, body);
    const isRefused =
      [401, 403].includes(status) &&
      (made === undefined
        ? json.details?.requiredConfirmation !== undefined
        : json.details?.requiredSecondFactor?.length > 0);
    if (!isRefused) findings.push(`${route} responds with ${status}`);
  }
  return findings;
};

const call: Call = (method, path, as, body) => api.call(method, path, { as, body });

test('a password alone gives no session, token or secret, and no confirmation', async () => {
  const document = JSON.parse(api.app.openApi);
  const guarded = guardedRoutes(document, api.app.routeList).map(({ route }) => route);
  expect(guarded).toEqual(expect.arrayContaining([...Object.keys(BODIES), ...Object.keys(WITHOUT_FACTOR)]));
  expect(await findingsOf(document, api.app.routeList, call)).toEqual([]);
});

test.each([
  ['takes a password', { requestBody: { properties: { password: {} } } }],
  ['gives a token', { responses: { 200: { properties: { token: {} } } } }],
])('a planted route that %s is found', async (_what, operation) => {
  const document = { paths: { '/api/planted': { post: operation } } };
  const routes = [{ method: 'POST', url: '/api/planted', access: 'public' }];
  const open: Call = async () => ({ status: 200, json: { token: 'x' } });
  expect(await findingsOf(document, routes, open)).toContain('POST /api/planted responds with 200');
});

test('an operator who lacks a required factor can add one and sign out, and nothing else', async () => {
  const { administrator, store } = await createPractice(api.store);
  const as = token(administrator.token);
  await store.factorRequirement.set('everybody');
  const open = api.app.routeList.filter(
    ({ access }) => typeof access === 'object' && 'role' in access && access.beforeFactor,
  );
  expect(open.map(({ method, url }) => `${method} ${url}`).sort()).toMatchInlineSnapshot(`
    [
      "DELETE /api/sessions/current",
      "DELETE /api/sessions/current/factors/codes",
      "DELETE /api/sessions/current/factors/passkeys/:passkeyId",
      "GET /api/sessions/current",
      "GET /api/sessions/current/factors",
      "HEAD /api/sessions/current",
      "HEAD /api/sessions/current/factors",
      "POST /api/sessions/current/confirm",
      "POST /api/sessions/current/factors/codes",
      "POST /api/sessions/current/factors/codes/complete",
      "POST /api/sessions/current/factors/passkeys",
      "POST /api/sessions/current/factors/passkeys/complete",
      "POST /api/sessions/current/factors/recoverycodes",
      "PUT /api/sessions/current/password",
    ]
  `);
  for (const { method, url, access } of api.app.routeList) {
    if (
      access === 'public' ||
      method === 'HEAD' ||
      open.some((each) => each.url === url && each.method === method)
    )
      continue;
    if ('keysOnly' in access) continue;
    const options = { as, ...(method !== 'GET' && { body: {} }) };
    const { status, json } = await api.call(method, url.replace(/:\w+/g, 'x'), options);
    expect({ method, url, status, required: json.details?.requiredFactor }).toEqual({
      ...{ method, url, status: 403, required: true },
    });
  }
  await plantApp(store, administrator._id);
  expect((await api.call('GET', '/api/patients', { as })).status).toBe(200);
});
