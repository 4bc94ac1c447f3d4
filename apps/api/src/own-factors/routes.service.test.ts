import { clock, newId } from '@chairside/domain';
import { apiAddress, createPractice, type Practice, quickPasswords, startApi } from '@chairside/test-support';
import { TOTP } from 'otpauth';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { openTestApi, type TestApi, token } from '../../test/api.ts';
import { PasskeyDevice } from '../../test/passkey-device.ts';

const ORIGIN = 'https://dashboard.example.com';
const RP_ID = 'dashboard.example.com';
const FACTORS = '/api/sessions/current/factors';
const PERIOD = 30_000;

let api: TestApi;
let practice: Practice;
beforeAll(async () => {
  api = await openTestApi(['127.0.0.1'], [], { passwords: quickPasswords });
});
beforeEach(async () => {
  practice = await createPractice(api.store);
  vi.spyOn(clock, 'now').mockImplementation(() => new Date(Date.now() + passed));
});
afterAll(() => api.close());

/** How far the clock of the api is ahead, in milliseconds. */
let passed = 0;
beforeEach(() => {
  passed = 0;
});

const codeAt = (secret: string, periods = 0): string =>
  new TOTP({ secret }).generate({ timestamp: Date.now() + passed + periods * PERIOD });

type Operator = { _id: string; email: string; password: string; as: string };
const operator = (of: 'administrator' | 'staff' = 'administrator'): Operator => ({
  ...practice[of],
  as: token(practice[of].token),
});
const call = (method: string, path: string, as: string, body?: unknown) =>
  api.call(method, path, {
    as,
    ...(body !== undefined && { body }),
    headers: { 'x-forwarded-for': '203.0.113.5' },
  });
const confirm = (of: Operator, more: object = {}) =>
  call('POST', '/api/sessions/current/confirm', of.as, { password: of.password, ...more });
const signIn = (of: Operator) =>
  call('POST', '/api/sessions', '', { email: of.email, password: of.password });
const answer = (body: object) => call('POST', '/api/sessions/challenge', '', body);
const challengeOf = async (of: Operator): Promise<string> => {
  const { status, json } = await signIn(of);
  expect(status).toBe(401);
  return json.details.challenge;
};

const addApp = async (of: Operator) => {
  expect((await confirm(of, { for: 'factors' })).status).toBe(200);
  const begun = await call('POST', `${FACTORS}/codes`, of.as, {});
  expect(begun.status).toBe(200);
  const { secret } = begun.json;
  const completed = await call('POST', `${FACTORS}/codes/complete`, of.as, { code: codeAt(secret) });
  expect(completed.status).toBe(200);
  // The first code is used up.
  passed += PERIOD;
  return { secret: secret as string, recoveryCodes: completed.json.recoveryCodes as string[] };
};
const addPasskey = async (of: Operator, device = new PasskeyDevice(ORIGIN)) => {
  expect((await confirm(of, { for: 'factors' })).status).toBe(200);
  const { json } = await call('POST', `${FACTORS}/passkeys`, of.as, {});
  const credential = device.create(json.options);
  const added = await call('POST', `${FACTORS}/passkeys/complete`, of.as, { name: 'Phone', credential });
  expect(added.status).toBe(200);
  return { device, passkey: added.json };
};

describe('an app for codes', () => {
  test('is asked for at the sign-in, once added, and its secret is stored encrypted', async () => {
    const of = operator();
    const { secret, recoveryCodes } = await addApp(of);
    expect(recoveryCodes).toHaveLength(10);
    for (const code of recoveryCodes) expect(code).toMatch(/^[a-z2-7]{4}(-[a-z2-7]{4}){3}$/);
    const stored = JSON.stringify(await api.database.collection('operators').find().toArray());
    for (const text of [secret, ...recoveryCodes]) expect(stored).not.toContain(text);
    const asked = await signIn(of);
    expect(asked.status).toBe(401);
    expect(asked.json.details).toMatchObject({
      requiredSecondFactor: ['code', 'recoveryCode'],
      challenge: expect.stringMatching(/^[\w-]{43}$/),
    });
    const { challenge } = asked.json.details;
    const { status, json } = await answer({ challenge, code: codeAt(secret) });
    expect({ status, json }).toMatchObject({ status: 200, json: { operatorId: of._id } });
    expect((await call('GET', FACTORS, token(json.token))).json).toMatchObject({
      codes: {},
      passkeys: [],
      recoveryCodes: { left: 10 },
      required: false,
    });
  });

  test('a code works once, also in two processes at once, and so does a challenge', async () => {
    const of = operator();
    const { secret } = await addApp(of);
    const process = startApi(api.environment);
    onTestFinished(() => void process.end('SIGKILL'));
    const answerThere = async (body: object): Promise<{ status: number }> =>
      fetch(`${await apiAddress(process)}/api/sessions/challenge`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    const code = codeAt(secret);
    const tries = [answer, answerThere, answer, answerThere];
    const bodies: object[] = [];
    for (const _ of tries) bodies.push({ challenge: await challengeOf(of), code });
    const tried = await Promise.all(tries.map((send, index) => send(bodies[index] ?? {})));
    expect(tried.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401]);
    passed += PERIOD;
    const challenge = await challengeOf(of);
    const again = await Promise.all(
      Array.from({ length: 4 }, () => answer({ challenge, code: codeAt(secret) })),
    );
    expect(again.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401]);
  });

  test.each([
    ['the period before', -1, 200],
    ['the period after', 1, 200],
    ['two periods before', -2, 401],
    ['two periods after', 2, 401],
  ])('a code of %s: %s', async (_name, periods, status) => {
    const of = operator();
    const { secret } = await addApp(of);
    passed += 5 * PERIOD;
    const tried = await answer({ challenge: await challengeOf(of), code: codeAt(secret, periods) });
    expect(tried.status).toBe(status);
  });

  test('five wrong codes end a challenge, ten pause codes for an hour, and a recovery code works', async () => {
    const of = operator();
    const { secret, recoveryCodes } = await addApp(of);
    const wrong = (challenge: string) => answer({ challenge, code: '000000' });
    for (let round = 0; round < 2; round++) {
      const challenge = await challengeOf(of);
      for (let tries = 0; tries < 5; tries++) {
        const { status, json } = await wrong(challenge);
        expect({ status, message: json.message }).toMatchObject({
          status: 401,
          message: expect.stringMatching(/^Wrong code/),
        });
      }
      const ended = await answer({ challenge, code: codeAt(secret) });
      expect({ status: ended.status, message: ended.json.message }).toEqual({
        status: 401,
        message: 'Wrong e-mail or password.',
      });
    }
    const paused = await answer({ challenge: await challengeOf(of), code: codeAt(secret) });
    expect(paused.status).toBe(429);
    expect(Number(paused.headers.get('retry-after'))).toBeGreaterThan(3000);
    const [recoveryCode = ''] = recoveryCodes;
    const written = recoveryCode.toUpperCase().replaceAll('-', ' ');
    expect((await answer({ challenge: await challengeOf(of), recoveryCode: written })).status).toBe(200);
    expect((await answer({ challenge: await challengeOf(of), recoveryCode })).status).toBe(401);
    passed += 3_700_000;
    expect((await answer({ challenge: await challengeOf(of), code: codeAt(secret) })).status).toBe(200);
  });

  test('many wrong codes at once are counted before they are checked', async () => {
    const of = operator();
    await addApp(of);
    const challenges: string[] = [];
    for (let index = 0; index < 15; index++) challenges.push(await challengeOf(of));
    const tried = await Promise.all(challenges.map((challenge) => answer({ challenge, code: '000000' })));
    const count = (status: number) => tried.filter((each) => each.status === status).length;
    expect({ wrong: count(401), paused: count(429) }).toEqual({ wrong: 10, paused: 5 });
  });
});

describe('a passkey', () => {
  test('signs in alone, and answers what a password has asked', async () => {
    const of = operator('staff');
    const { device, passkey } = await addPasskey(of);
    expect(passkey).toMatchObject({ name: 'Phone', recoveryCodes: expect.any(Array) });
    const begun = await call('POST', '/api/sessions/passkey', '', {});
    expect(begun.json).toMatchObject({ options: { rpId: RP_ID, userVerification: 'required' } });
    const alone = await answer({
      challenge: begun.json.challenge,
      assertion: device.answer(begun.json.options.challenge, RP_ID),
    });
    expect(alone).toMatchObject({ status: 200, json: { operatorId: of._id, role: 'staff' } });
    const challenge = await challengeOf(of);
    expect((await answer({ challenge, assertion: device.answer(challenge, RP_ID) })).status).toBe(200);
  });

  test.each([
    ['another origin', { origin: 'https://evil.example' }],
    ['another relying party', { rpId: 'evil.example' }],
    ['another challenge', { challenge: 'A'.repeat(43) }],
    ['a person who was not verified', { isVerified: false }],
    ['another operator', { userHandle: Buffer.from(newId()).toString('base64url') }],
  ])('the answer of %s is refused', async (_name, deviations) => {
    const of = operator();
    const { device } = await addPasskey(of);
    const challenge = await challengeOf(of);
    const { status } = await answer({ challenge, assertion: device.answer(challenge, RP_ID, deviations) });
    expect(status).toBe(401);
  });

  test('an answer works once, and a copied authenticator whose counter is behind is refused', async () => {
    const of = operator();
    const { device } = await addPasskey(of, new PasskeyDevice(ORIGIN, 5));
    const challenge = await challengeOf(of);
    const assertion = device.answer(challenge, RP_ID);
    const tried = await Promise.all([answer({ challenge, assertion }), answer({ challenge, assertion })]);
    expect(tried.map(({ status }) => status).sort()).toEqual([200, 401]);
    const next = await challengeOf(of);
    expect(
      (await answer({ challenge: next, assertion: device.answer(next, RP_ID, { counter: 6 }) })).status,
    ).toBe(401);
  });

  test('cannot be added with options that were answered, or that another operator began', async () => {
    const of = operator();
    const staff = operator('staff');
    const device = new PasskeyDevice(ORIGIN);
    await confirm(of, { for: 'factors' });
    await confirm(staff, { for: 'factors' });
    const { json } = await call('POST', `${FACTORS}/passkeys`, of.as, {});
    const body = { name: 'Phone', credential: device.create(json.options) };
    expect((await call('POST', `${FACTORS}/passkeys/complete`, staff.as, body)).status).toBe(400);
    // The options are used up.
    expect((await call('POST', `${FACTORS}/passkeys/complete`, of.as, body)).status).toBe(400);
  });

  test('cannot be used without a dashboard whose name browsers trust', async () => {
    for (const [dashboardUrl, reason] of [
      [null, 'no_dashboard'],
      ['http://192.0.2.1:3200', 'ip_address'],
      ['http://dashboard.example.com', 'insecure'],
    ] as const) {
      const without = await openTestApi([], [], { passwords: quickPasswords, dashboardUrl });
      const as = token(without.practice.administrator.token);
      expect((await without.call('GET', FACTORS, { as })).json).toMatchObject({ passkeysOff: reason });
      expect((await without.call('POST', '/api/sessions/passkey', { as: '', body: {} })).status).toBe(409);
      await without.close();
    }
  });
});

test('a network can begin 60 sign-ins by passkey in a minute, and other networks go on', async () => {
  const begin = async (address: string) =>
    (
      await api.call('POST', '/api/sessions/passkey', {
        as: '',
        body: {},
        headers: { 'x-forwarded-for': address },
      })
    ).status;
  for (let count = 0; count < 60; count++) expect(await begin('198.51.100.60')).toBe(200);
  expect([await begin('198.51.100.60'), await begin('198.51.100.61')]).toEqual([429, 200]);
});

describe('inside a session', () => {
  /** Every request with a password: what it does with the right one alone, and with the factor. */
  const REQUESTS: [string, (of: Operator) => Promise<[string, string, object]>][] = [
    ['a confirmation', async () => ['POST', '/api/sessions/current/confirm', {}]],
    [
      'a change of the password',
      async () => ['PUT', '/api/sessions/current/password', { newPassword: 'staple of the horse 7' }],
    ],
    [
      'the secret of a key',
      async () => {
        const [key] = await practice.store.apiKeys.list();
        return ['POST', `/api/apikeys/${key?._id}/reveal`, {}];
      },
    ],
  ];
  test.each(REQUESTS)('%s needs the factor, too', async (_name, requestOf) => {
    const of = operator();
    const { secret } = await addApp(of);
    const [method, path, fields] = await requestOf(of);
    const send = (more: object) => call(method, path, of.as, { password: of.password, ...fields, ...more });
    const asked = await send({});
    expect(asked).toMatchObject({
      status: 403,
      json: { details: { requiredSecondFactor: ['code', 'recoveryCode'] } },
    });
    const { challenge } = asked.json.details;
    expect((await send({ challenge, code: '000000' })).status).toBe(401);
    expect((await send({ challenge, code: codeAt(secret) })).status).toBe(200);
    expect((await send({ challenge, code: codeAt(secret, 1) })).status).toBe(403);
  });

  test('adding and removing need a confirmation that was made for it; a sign-in does not count', async () => {
    const of = operator();
    for (const [method, path, body] of [
      ['POST', `${FACTORS}/codes`, {}],
      ['POST', `${FACTORS}/passkeys`, {}],
      ['POST', `${FACTORS}/recoverycodes`, {}],
      ['DELETE', `${FACTORS}/codes`, undefined],
      ['DELETE', `${FACTORS}/passkeys/${newId()}`, undefined],
    ] as const) {
      const { status, json } = await call(method, path, of.as, body);
      expect({ path, status, details: json.details }).toMatchObject({
        path,
        status: 403,
        details: { requiredConfirmation: 'factors' },
      });
    }
    await confirm(of);
    expect((await call('POST', `${FACTORS}/codes`, of.as, {})).status).toBe(403);
  });

  test('a factor that is removed during a sign-in answers nothing any more', async () => {
    const of = operator();
    const { secret, recoveryCodes } = await addApp(of);
    const challenges = [await challengeOf(of), await challengeOf(of)] as const;
    const asked = await confirm(of, { for: 'factors' });
    const { challenge } = asked.json.details;
    expect((await confirm(of, { for: 'factors', challenge, code: codeAt(secret) })).status).toBe(200);
    expect((await call('DELETE', `${FACTORS}/codes`, of.as)).status).toBe(200);
    passed += PERIOD;
    expect((await answer({ challenge: challenges[0], code: codeAt(secret) })).status).toBe(401);
    expect((await answer({ challenge: challenges[1], recoveryCode: recoveryCodes[0] })).status).toBe(401);
    expect((await signIn(of)).status).toBe(200);
  });

  test('new recovery codes replace the earlier ones', async () => {
    const of = operator();
    const { secret, recoveryCodes } = await addApp(of);
    const made = await call('POST', `${FACTORS}/recoverycodes`, of.as, {});
    expect(made.json.recoveryCodes).toHaveLength(10);
    expect((await answer({ challenge: await challengeOf(of), recoveryCode: recoveryCodes[0] })).status).toBe(
      401,
    );
    expect(
      (await answer({ challenge: await challengeOf(of), recoveryCode: made.json.recoveryCodes[0] })).status,
    ).toBe(200);
    expect(secret).toHaveLength(32);
  });
});

describe('an organization', () => {
  test('requires factors: living sessions without one can only add one and sign out, and API keys go on', async () => {
    const of = operator();
    const staff = operator('staff');
    const setRequired = (requiredFactors: string) =>
      call('PUT', '/api/organization', of.as, { requiredFactors });
    expect((await setRequired('everybody')).json.details.code).toBe('no_factor');
    await addApp(of);
    expect((await setRequired('everybody')).status).toBe(200);
    const refused = await call('GET', '/api/patients', staff.as);
    expect(refused).toMatchObject({ status: 403, json: { details: { requiredFactor: true } } });
    expect((await call('GET', '/api/sessions/current', staff.as)).json).toMatchObject({
      factorRequired: true,
    });
    expect((await call('GET', FACTORS, staff.as)).json).toMatchObject({ required: true });
    expect((await api.call('GET', '/api/patients')).status).toBe(200);
    await addApp(staff);
    expect((await call('GET', '/api/patients', staff.as)).status).toBe(200);
    expect((await setRequired('administrators')).status).toBe(200);
    const another = await createPractice(api.store);
    expect((await call('GET', '/api/patients', token(another.staff.token))).status).toBe(200);
  });

  test('an administrator removes the factors of another operator, whose sessions end', async () => {
    const of = operator();
    const staff = operator('staff');
    await addApp(staff);
    const path = `/api/operators/${staff._id}/factors`;
    expect((await call('DELETE', path, staff.as)).status).toBe(403);
    expect((await call('DELETE', path, token(api.stranger.administrator.token))).status).toBe(404);
    expect((await call('DELETE', `/api/operators/${of._id}/factors`, of.as)).json.details.code).toBe(
      'own_factors',
    );
    expect((await call('DELETE', path, of.as)).json).toMatchObject({ _id: staff._id, factors: [] });
    expect((await call('GET', FACTORS, staff.as)).status).toBe(401);
    expect((await signIn(staff)).status).toBe(200);
    expect((await call('DELETE', path, of.as)).json.details.code).toBe('no_factor');
  });
});

test('two administrators who remove each other’s factors at once: whoever was removed has no session', async () => {
  const email = `other.${practice.organizationId}@example.com`;
  const password = 'a long enough password';
  const made = await practice.store.operators.create({ email, password, role: 'administrator' }, clock.now());
  if (typeof made === 'string') throw new Error(made);
  const signedIn = await call('POST', '/api/sessions', '', { email, password });
  const pair = [operator(), { _id: made._id, email, password, as: token(signedIn.json.token) }] as const;
  for (const each of pair) await addApp(each);
  const [one, other] = pair;
  const removed = await Promise.all([
    call('DELETE', `/api/operators/${other._id}/factors`, one.as),
    call('DELETE', `/api/operators/${one._id}/factors`, other.as),
  ]);
  expect(removed.map(({ status }) => status)).toContain(200);
  for (const [index, { status }] of removed.entries()) {
    // The second one may find its session ended.
    expect([200, 401]).toContain(status);
    const of = index === 0 ? other : one;
    const isRemoved = status === 200;
    expect((await call('GET', FACTORS, of.as)).status).toBe(isRemoved ? 401 : 200);
    expect((await signIn(of)).status).toBe(isRemoved ? 200 : 401);
  }
});

test('each change is audited, without secrets', async () => {
  const of = operator();
  const { secret, recoveryCodes } = await addApp(of);
  const { json } = await call('GET', '/api/auditentries?kind=operator&action=factor_added', of.as);
  expect(json).toMatchObject([
    { ids: [of._id], changes: [{ field: 'factor', value: 'code' }], result: 'ok' },
  ]);
  const all = JSON.stringify([json, api.logs]);
  for (const text of [secret, ...recoveryCodes]) expect(all).not.toContain(text);
});
