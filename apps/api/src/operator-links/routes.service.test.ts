import { type LinkContent, mailLink } from '@chairside/domain';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { openTestApi, type TestApi, token } from '../../test/api.ts';

const PASSWORD = 'correct horse battery';
let api: TestApi;
let as: string;
let counter = 0;
beforeAll(async () => {
  api = await openTestApi(['127.0.0.1']);
  as = token(api.practice.administrator.token);
});
afterAll(() => api.close());
afterEach(async () => {
  await api.database.collection<{ _id: string }>('leases').deleteOne({ _id: 'mail' });
});

/** Every call claims another host, which no link may lead to. */
const FORGED = { 'x-forwarded-host': 'evil.example', forwarded: 'host=evil.example' };
const nextEmail = () => `linked.${counter++}@example.com`;
/** Each call comes from a network of its own, unless the test says otherwise. */
const call = (
  method: string,
  path: string,
  body?: object,
  by = '',
  network = `198.51.100.${counter++ % 250}`,
) =>
  api.call(method, path, {
    as: by,
    headers: { 'x-forwarded-for': network, ...FORGED },
    ...(body && { body }),
  });
/** The service sends mails from now on, until the test ends. */
const sendMails = () => api.store.everyOrganization.lanes.lease('mail', 'worker', 60_000);

type StoredMail = { _id: string; operatorId: string; kind: string; state: string; sealed?: unknown };
const mailsTo = (operatorId: string) =>
  api.database
    .collection<StoredMail>('mails')
    .find({ operatorId }, { sort: { _id: 1 } })
    .toArray();
const contentOf = async ({ _id, sealed }: StoredMail): Promise<LinkContent> => {
  const cipher = await api.store.ciphers.of(api.practice.organizationId);
  return JSON.parse(cipher.open(sealed, { collection: 'mails', _id, field: 'sealed' }));
};
/** Waits for the mail that follows a response. */
const untilMailed = async (operatorId: string, count: number): Promise<StoredMail[]> => {
  for (;;) {
    const mails = await mailsTo(operatorId);
    if (mails.length >= count) return mails;
  }
};
const secretOf = (url: string): string => new URL(url).hash.slice(1);
const invite = async (role: 'administrator' | 'staff' = 'staff', fields: object = {}) => {
  const email = nextEmail();
  const { status, json } = await call('POST', '/api/operators', { email, role, ...fields }, as);
  expect(status).toBe(200);
  return { email, ...json };
};
const complete = (secret: string, fields: object = {}) =>
  call('POST', '/api/invitations/complete', { secret, password: PASSWORD, ...fields });
const signIn = (email: string, password = PASSWORD) => call('POST', '/api/sessions', { email, password });
const actionsOf = async (operatorId: string): Promise<string[]> => {
  const { json } = await call('GET', '/api/auditentries?kind=operator&limit=100', undefined, as);
  return json
    .filter(({ ids }: { ids: string[] }) => ids.includes(operatorId))
    .map(({ action, result }: { action: string; result: string }) => `${action} ${result}`);
};
/** An operator who has accepted an invitation. */
const accepted = async () => {
  const invited = await invite();
  expect((await complete(secretOf(invited.invitationUrl))).status).toBe(200);
  return invited;
};

test('without mail, the response has the link once; with it, the operator chooses a password and signs in', async () => {
  const { invitationUrl, email, ...invited } = await invite('staff', { name: 'Ada Byron' });
  expect(invited).toMatchObject({
    name: 'Ada Byron',
    active: true,
    passwordChangeRequired: false,
    invitation: { expiryTime: expect.any(String) },
  });
  expect(invitationUrl).toMatch(/^https:\/\/dashboard\.example\.com\/invitation#[\w-]{43}$/);
  expect(await mailsTo(invited._id)).toEqual([]);
  const read = await call('GET', `/api/operators/${invited._id}`, undefined, as);
  expect(read.text).not.toContain(secretOf(invitationUrl));
  expect(read.json).not.toHaveProperty('invitationUrl');
  for (const password of [PASSWORD, '']) expect((await signIn(email, password)).status).toBe(401);

  const done = await complete(secretOf(invitationUrl), { name: 'Ada Lovelace' });
  expect([done.status, done.json]).toEqual([200, { email }]);
  const session = await signIn(email);
  expect(session.status).toBe(200);
  const current = await call('GET', '/api/sessions/current', undefined, token(session.json.token));
  expect(current.json).toMatchObject({
    name: 'Ada Lovelace',
    organization: { name: expect.any(String) },
    mail: false,
  });
  const { json } = await call('GET', `/api/operators/${invited._id}`, undefined, as);
  expect(json).toMatchObject({ name: 'Ada Lovelace', lastSignInTime: expect.any(String) });
  expect(json).not.toHaveProperty('invitation');
  expect(await actionsOf(invited._id)).toEqual(
    expect.arrayContaining(['invited ok', 'invitation_completed ok']),
  );
});

test('a link works once; an unknown, used, ended or replaced one is the same 400', async () => {
  const used = secretOf((await accepted()).invitationUrl);
  const ended = await invite();
  await api.database
    .collection<{ _id: string }>('operators')
    .updateOne({ _id: ended._id }, { $set: { 'invitation.expiryTime': new Date() } });
  const replaced = await invite();
  const again = await call('POST', `/api/operators/${replaced._id}/invitation`, {}, as);
  const withdrawn = await invite();
  await call('DELETE', `/api/operators/${withdrawn._id}`, undefined, as);
  const disabled = await invite();
  await call('PUT', `/api/operators/${disabled._id}`, { active: false }, as);
  const moved = await invite();
  await call('PUT', `/api/operators/${moved._id}`, { email: nextEmail() }, as);
  const replacedByPassword = await invite();
  await call('PUT', `/api/operators/${replacedByPassword._id}`, { password: PASSWORD }, as);
  const links = [ended, replaced, withdrawn, disabled, moved, replacedByPassword];
  const responses = await Promise.all(
    ['unknown', used, ...links.map(({ invitationUrl }) => secretOf(invitationUrl))].map((secret) =>
      complete(secret),
    ),
  );
  for (const { status, json } of responses)
    expect([status, json.name, json.message]).toEqual([400, 'BadRequest', responses[0]?.json.message]);
  expect((await complete(secretOf(again.json.invitationUrl))).status).toBe(200);
  // A link of an invitation does not set a new password.
  const other = await invite();
  const body = { secret: secretOf(other.invitationUrl), password: PASSWORD };
  expect((await call('POST', '/api/passwordresets/complete', body)).status).toBe(400);
});

test('of two calls with one link, one succeeds', async () => {
  const secret = secretOf((await invite()).invitationUrl);
  const statuses = (await Promise.all([complete(secret), complete(secret)])).map(({ status }) => status);
  expect(statuses.sort()).toEqual([200, 400]);
});

test('with mail, the link is mailed and no response has it', async () => {
  await sendMails();
  const invited = await invite();
  expect(invited).toMatchObject({ invitation: { mail: 'queued' } });
  expect(invited).not.toHaveProperty('invitationUrl');
  const [mail] = await mailsTo(invited._id);
  expect(mail).toMatchObject({ kind: 'invitation', state: 'queued' });
  const { to, link, values } = await contentOf(mail as StoredMail);
  expect([to, link.path]).toEqual([invited.email, '/invitation']);
  expect(values.organizationName).toEqual(expect.any(String));

  const again = await call('POST', `/api/operators/${invited._id}/invitation`, {}, as);
  expect(again.json).not.toHaveProperty('invitationUrl');
  const mails = await mailsTo(invited._id);
  expect(mails.map(({ state }) => state)).toEqual(['failed', 'queued']);
  expect((await complete(link.secret)).status).toBe(400);
  const current = await contentOf(mails[1] as StoredMail);
  expect(mailLink('https://d.example', current.link)).toContain('#');
  expect((await complete(current.link.secret)).status).toBe(200);
  // Its link is used up, so the mail is not sent any more.
  expect((await mailsTo(invited._id)).map(({ state }) => state)).toEqual(['failed', 'failed']);
  const list = await call('GET', '/api/operators', undefined, as);
  expect(list.json.find(({ _id }: { _id: string }) => _id === invited._id)).not.toHaveProperty('invitation');
});

test('an invitation is mailed again once in five minutes; a link that the response has, at any time', async () => {
  const by = token(api.stranger.administrator.token);
  const created = () => call('POST', '/api/operators', { email: nextEmail(), role: 'staff' }, by);
  const shown = (await created()).json;
  const again = ({ _id }: { _id: string }) => call('POST', `/api/operators/${_id}/invitation`, {}, by);
  for (let count = 0; count < 2; count++) expect((await again(shown)).status).toBe(200);
  await sendMails();
  const invited = (await created()).json;
  const responses = await Promise.all([again(invited), again(invited), again(invited)]);
  expect(responses.map(({ status }) => status).sort()).toEqual([200, 429, 429]);
  expect(await mailsTo(invited._id)).toHaveLength(2);
});

test('an organization may choose thirty passwords of operators in a minute', async () => {
  const by = token(api.stranger.administrator.token);
  const weak = { email: nextEmail(), role: 'staff', password: 'passwordpassword' };
  const statuses: number[] = [];
  for (let count = 0; count < 31; count++)
    statuses.push((await call('POST', '/api/operators', weak, by)).status);
  expect(statuses).toEqual([...Array(30).fill(400), 429]);
});

test('an invitation whose mail failed shows it', async () => {
  await sendMails();
  const { _id } = await invite();
  await api.database
    .collection<StoredMail>('mails')
    .updateOne({ operatorId: _id }, { $set: { state: 'failed' } });
  const { json } = await call('GET', '/api/operators', undefined, as);
  expect(json.find((each: { _id: string }) => each._id === _id).invitation.mail).toBe('failed');
});

test('POST /api/operators/{operatorId}/invitation is a 409 for an operator with a password, and a 404 without one', async () => {
  const { _id } = await accepted();
  const { status, json } = await call('POST', `/api/operators/${_id}/invitation`, {}, as);
  expect([status, json.details.code]).toEqual([409, 'not_invited']);
  const other = api.stranger.staff._id;
  expect((await call('POST', `/api/operators/${other}/invitation`, {}, as)).status).toBe(404);
});

test('an invited administrator does not count as one who can sign in', async () => {
  const by = token(api.stranger.administrator.token);
  const body = { email: nextEmail(), role: 'administrator' };
  expect((await call('POST', '/api/operators', body, by)).status).toBe(200);
  const { _id } = api.stranger.administrator;
  const { status, json } = await call('PUT', `/api/operators/${_id}`, { role: 'staff' }, by);
  expect([status, json.details.code]).toEqual([409, 'last_administrator']);
});

test('a password that is easy to guess is refused, with the reason', async () => {
  const { invitationUrl } = await invite();
  const weak = await complete(secretOf(invitationUrl), { password: 'passwordpassword' });
  expect([weak.status, weak.json.details.issues]).toEqual([
    400,
    [
      {
        path: 'password',
        message: expect.stringMatching(/^is too easy to guess\. Repeated/),
        code: 'invalid',
      },
    ],
  ]);
  // The link still works.
  expect((await complete(secretOf(invitationUrl))).status).toBe(200);
  const body = { email: nextEmail(), role: 'staff', password: 'aaaaaaaaaaaa' };
  expect((await call('POST', '/api/operators', body, as)).status).toBe(400);
});

test('pages learn within seconds whether the service sends mails, signed in or not', async () => {
  const stateOf = async (path: string, by: string) => (await call('GET', path, undefined, by)).json.mail;
  const states = () =>
    Promise.all([stateOf('/api/passwordresets', ''), stateOf('/api/sessions/current', as)]);
  await expect.poll(states).toEqual([false, false]);
  await sendMails();
  await expect.poll(states).toEqual([true, true]);
});

test('a mailed link sets a new password, and ends sessions and program tokens', async () => {
  const { _id, email } = await accepted();
  const session = token((await signIn(email)).json.token);
  await sendMails();
  const response = await call('POST', '/api/passwordresets', { email: email.toUpperCase() });
  expect([response.status, response.json]).toEqual([200, {}]);
  const [mail] = await untilMailed(_id, 1);
  const { link } = await contentOf(mail as StoredMail);
  expect(link.path).toBe('/password-reset');
  // Requesting changes nothing yet.
  expect((await call('GET', '/api/sessions/current', undefined, session)).status).toBe(200);
  const password = 'staple of the horse';
  const body = { secret: link.secret, password };
  expect((await call('POST', '/api/passwordresets/complete', body)).json).toEqual({});
  expect((await call('GET', '/api/sessions/current', undefined, session)).status).toBe(401);
  expect((await signIn(email)).status).toBe(401);
  expect((await signIn(email, password)).status).toBe(200);
  expect((await call('POST', '/api/passwordresets/complete', body)).status).toBe(400);
  expect(await actionsOf(_id)).toEqual(expect.arrayContaining(['reset_requested ok', 'password_reset ok']));
});

test('every address gets the same response, and only operators who can sign in get a mail', async () => {
  const invited = await invite();
  const disabled = await accepted();
  await sendMails();
  await call('PUT', `/api/operators/${disabled._id}`, { active: false }, as);
  const responses = [];
  for (const email of [nextEmail(), invited.email, disabled.email, api.practice.staff.email])
    responses.push(await call('POST', '/api/passwordresets', { email }));
  for (const { status, text, headers } of responses)
    expect([status, text, headers.get('content-length')]).toEqual([200, '{}', '2']);
  await untilMailed(api.practice.staff._id, 1);
  for (const { _id } of [invited, disabled])
    expect((await mailsTo(_id)).filter(({ kind }) => kind === 'password_reset')).toEqual([]);
});

test('an address gets one mail in five minutes; the 21st request of a network is a 429', async () => {
  const { _id, email } = await accepted();
  await sendMails();
  const network = '192.0.2.7';
  const statuses = [];
  for (let count = 0; count < 21; count++)
    statuses.push((await call('POST', '/api/passwordresets', { email }, '', network)).status);
  expect(statuses).toEqual([...Array(20).fill(200), 429]);
  await untilMailed(_id, 1);
  await api.app.close();
  expect(await mailsTo(_id)).toHaveLength(1);
  await api.close();
  api = await openTestApi(['127.0.0.1']);
  as = token(api.practice.administrator.token);
});

test('a network may try fifty links a minute', async () => {
  const network = '192.0.2.9';
  const body = { secret: 'unknown', password: PASSWORD };
  const tryLink = async () => (await call('POST', '/api/invitations/complete', body, '', network)).status;
  const statuses = [];
  for (let count = 0; count < 50; count++) statuses.push(await tryLink());
  expect(statuses).toEqual(Array(50).fill(400));
  // A call for which Redis had no response in time was counted by the process itself.
  await expect.poll(tryLink).toBe(429);
});

test('without mail, nobody gets a new password by mail', async () => {
  const { status, json } = await call('POST', '/api/passwordresets', { email: api.practice.staff.email });
  expect([status, json.details.code]).toEqual([409, 'no_mail']);
  expect(json.message).toContain('Ask an administrator of your practice.');
});

test('without mail and without the address of the dashboard, a password is required', async () => {
  const other = await openTestApi([], [], { dashboardUrl: null });
  const by = token(other.practice.administrator.token);
  const { status, json } = await other.call('POST', '/api/operators', {
    as: by,
    body: { email: nextEmail(), role: 'staff' },
  });
  expect([status, json.details.issues]).toMatchObject([400, [{ path: 'password', code: 'required' }]]);
  await other.close();
});
