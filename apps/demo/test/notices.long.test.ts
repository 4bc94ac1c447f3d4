import { randomBytes } from 'node:crypto';
import { MAX_WRONG_CODES, newId, noticeKinds } from '@chairside/domain';
import {
  ageFacts,
  callApi,
  canaryFinder,
  createPractice,
  parseMail,
  startMailServer,
  startRecordingReceiver,
  startWholeService,
  type TestMailServer,
  testEngines,
  type WholeService,
} from '@chairside/test-support';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CANARY, patient } from './canary-records.ts';

/*
 * Every notice is caused as in production: through the api, and by a receiver that fails and quotes what it got. No mail
 * contains a datum of the patient, anything of the URL but the host, a fixed header, or somebody else's e-mail address.
 */

/** It is in the path, the query and a fixed header of the subscription. */
const SECRET_OF_URL = 'papageientaucher';
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const proxySecret = randomBytes(32).toString('base64url');

let mails: TestMailServer;
let service: WholeService;
beforeAll(async () => {
  mails = await startMailServer();
  service = await startWholeService(testEngines().redisUrl, {
    environment: {
      MAIL_URL: mails.url,
      MAIL_FROM: 'chairside@example.com',
      DASHBOARD_URL: 'https://dashboard.example.com',
      PROXY_SECRET: proxySecret,
    },
  });
});
afterAll(async () => {
  await service.close();
  await mails.close();
});

const ask = async (method: string, path: string, body?: object, as?: string): Promise<any> => {
  const by = as ?? `Token ${service.practice.administrator.token}`;
  const { status, json } = await service.call(method, path, body, by);
  expect({ method, path, status, json: status === 200 || json }).toEqual({
    ...{ method, path, status: 200, json: true },
  });
  return json;
};
const signInFrom = async (address: string): Promise<void> => {
  const { email, password } = service.practice.administrator;
  const headers = { 'x-proxy-secret': proxySecret, 'x-forwarded-for': address };
  const { status } = await callApi(service.address, 'POST', '/api/sessions', headers, { email, password });
  expect(status).toBe(200);
};
const subscriptionOf = async (id: string) =>
  service.database.collection<{ _id: string }>('subscriptions').findOne({ _id: id });
const toldKinds = async (): Promise<string[]> => {
  const notices: { facts: { kind: string }[]; state: string }[] = await ask('GET', '/api/notices');
  return notices
    .filter(({ state }) => state === 'sent')
    .flatMap(({ facts }) => facts.map(({ kind }) => kind));
};
const untilTold = (kind: string) => expect.poll(toldKinds).toContain(kind);

/** A receiver that fails, recovers, fails until its subscription is disabled, and quotes every body. */
const causeTroubles = async (): Promise<void> => {
  const receiver = await startRecordingReceiver();
  receiver.respond = ({ raw }, response) => void response.writeHead(500, { 'x-quote': CANARY }).end(raw);
  const clinicId = service.practice.clinicIds[1];
  const { _id } = await ask('POST', '/api/webhooksubscriptions', {
    ...{ clinicId, events: [], active: true },
    url: `${new URL(receiver.url).origin}/${SECRET_OF_URL}?${SECRET_OF_URL}=1`,
    headers: { [`x-${SECRET_OF_URL}`]: SECRET_OF_URL },
  });
  const create = async (count: number) => {
    for (let made = 0; made < count; made++) {
      const { email, ...unnamed } = patient;
      await ask('POST', '/api/patients', { clinicId, ...unnamed, email: `${made}${email}` });
    }
  };
  await create(3);
  await expect.poll(() => subscriptionOf(_id)).toMatchObject({ consecutiveFailures: 3 });
  await ageFacts(service.database, 15 * MINUTE);
  await untilTold('subscriptionFailing');
  receiver.respond = (_post, response) => void response.writeHead(200).end();
  await create(1);
  await expect.poll(() => subscriptionOf(_id)).toMatchObject({ consecutiveFailures: 0 });
  await ageFacts(service.database, MINUTE);
  await untilTold('subscriptionRecovered');
  receiver.respond = ({ raw }, response) => void response.writeHead(500).end(raw);
  await create(25);
  await expect.poll(() => subscriptionOf(_id)).toMatchObject({ active: false });
  await receiver.close();
};

/** What happens to operators, credentials and apps. @returns the addresses of all operators, the former ones, too */
const causeChanges = async (): Promise<string[]> => {
  const { administrator, staff, organizationId } = service.practice;
  await ask('POST', '/api/apikeys', {
    ...{ name: 'Recall', scopes: [] },
    expiryTime: new Date(Date.now() + 3 * DAY).toISOString(),
  });
  for (const address of ['192.0.2.1', '198.51.100.1', '203.0.113.1']) await signInFrom(address);
  await service.store.everyOrganization.audit.add(organizationId, {
    ...{ action: 'granted', kind: 'connection', ids: [newId()], result: 'ok', requestId: newId() },
    principal: { kind: 'operator', id: administrator._id },
    changes: [
      { field: 'app', value: 'Assistant' },
      { field: 'clientId', value: 'https://assistant.example.com/client.json' },
      { field: 'redirectHost', value: 'assistant.example.com' },
    ],
  });
  await ask(
    'PUT',
    '/api/sessions/current/password',
    { password: staff.password, newPassword: `${staff.password} and more` },
    `Token ${staff.token}`,
  );
  const moved = `elsewhere.${newId()}@example.com`;
  await ask('PUT', `/api/operators/${staff._id}`, { email: moved, role: 'administrator' });
  const { factors } = service.practice.store;
  const { factorChecks } = service.store.everyOrganization;
  const asked = { organizationId, operatorId: administrator._id, accessRevision: 0 };
  const now = new Date();
  await factors.beginCode(administrator._id, 'A'.repeat(32), now);
  await factors.addCode(administrator._id, 'A'.repeat(32), 0, [], now);
  for (let tries = 0; tries < MAX_WRONG_CODES; tries++) await factorChecks.tryCode(asked, now);
  expect(await factorChecks.pauseCodes(asked, now)).toBe(true);
  return [administrator.email, staff.email, moved];
};

test('no notice contains a datum of a patient, anything of a URL but the host, or the address of somebody else', async () => {
  // Another practice, of which nobody may learn.
  const other = await createPractice(service.store);
  const addresses = await causeChanges();
  await causeTroubles();
  for (const kind of noticeKinds) {
    await ageFacts(service.database, MINUTE);
    await untilTold(kind);
  }
  const findPatient = canaryFinder(CANARY);
  const findUrl = canaryFinder(SECRET_OF_URL);
  const everybody = [...addresses, other.administrator.email, other.staff.email];
  const told = new Set<string>();
  for (const mail of mails.mails) {
    const { subject, text, html, headers } = await parseMail(mail);
    told.add(subject);
    const readable = [subject, text, html, JSON.stringify(headers)].join('\n').replaceAll('\u2060', '');
    for (const shown of [mail.raw, readable]) {
      expect(findPatient(Buffer.from(shown))).toBeUndefined();
      expect(findUrl(Buffer.from(shown))).toBeUndefined();
      for (const address of everybody.filter((each) => !mail.to.includes(each)))
        expect(shown.toLowerCase()).not.toContain(address.toLowerCase());
    }
    expect(mail.to).toHaveLength(1);
    expect(addresses).toContain(mail.to[0]);
  }
  expect(told.size).toBeGreaterThan(3);
});
