import { execFile, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import * as signing from '@chairside/signing';
import {
  openedDocuments,
  startDispatcher,
  startRecordingReceiver,
  untilDispatching,
} from '@chairside/test-support';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { openTestApi, type TestApi, token } from './api.ts';

// Runs the code examples of docs/guide.md.
const guide = readFileSync(fileURLToPath(new URL('../../../docs/guide.md', import.meta.url)), 'utf8');

const sourceOf = (name: string, language: string): string => {
  const [, code = ''] = guide.split(`<!-- example: ${name} -->\n\`\`\`${language}\n`);
  return code.slice(0, code.indexOf('\n```'));
};
const example = (name: string, known: object = {}): any => {
  const source = sourceOf(name, 'js').replace(/^import .*$/gm, '');
  const exported = [...source.matchAll(/^export (?:const|async function\*?|function) (\w+)/gm)].map(
    ([, each]) => each,
  );
  const body = `${source.replace(/^export /gm, '')}\nreturn { ${exported.join(', ')} };`;
  return new Function(...Object.keys(known), body)(...Object.values(known));
};

let api: TestApi;
beforeAll(async () => {
  api = await openTestApi();
});
afterAll(() => api.close());

test('subscribe: the line to paste creates a subscription', async () => {
  const { administrator, clinicIds } = api.practice;
  const { stdout } = await promisify(execFile)('sh', ['-c', sourceOf('subscribe', 'sh')], {
    env: { PATH: process.env.PATH, URL: api.url, TOKEN: administrator.token, CLINIC: clinicIds[0] },
  });
  expect(JSON.parse(stdout)).toMatchObject({
    clinicId: clinicIds[0],
    url: 'https://example.com/webhooks',
    secret: expect.stringMatching(/^whsec_/),
  });
});

test('upsert: the line to paste creates a patient, then changes nothing', async () => {
  const upsert = async () => {
    const { apiKey, clinicIds } = api.practice;
    const { stdout } = await promisify(execFile)('sh', ['-c', sourceOf('upsert', 'sh')], {
      env: { PATH: process.env.PATH, URL: api.url, KEY: apiKey, CLINIC: clinicIds[0] },
    });
    return /^x-record-changed: (\w+)/m.exec(stdout)?.[1];
  };
  expect([await upsert(), await upsert()]).toEqual(['true', 'false']);
});

test('receive: accepts a signed event once, and refuses everything else', async () => {
  const secret = `whsec_${'x'.repeat(32)}`;
  const { server, work }: { server: Server; work: { id: string }[] } = example('receive', {
    ...signing,
    createServer,
    process: { env: { CHAIRSIDE_WEBHOOK_SECRET: secret } },
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const body = JSON.stringify({ id: 'e1', event: 'test.ping', timestamp: 1, data: {} });
  const header = signing.sign({ body, secret, timestamp: Math.floor(Date.now() / 1000) });
  const send = async (signature: string) => {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    return (await fetch(url, { method: 'POST', body, headers: { 'x-service-signature': signature } })).status;
  };
  expect([await send(header), await send(header), await send('t=1,v1=00')]).toEqual([204, 204, 400]);
  expect(work.map(({ id }) => id)).toEqual(['e1']);
  server.close();
});

test('secrets: the secret of the subscription that the request names verifies it', () => {
  const secrets = { one: `whsec_${'x'.repeat(32)}`, two: `whsec_${'y'.repeat(32)}` };
  const env = { CHAIRSIDE_WEBHOOK_SECRETS: JSON.stringify(secrets) };
  const { eventOf } = example('secrets', { ...signing, process: { env } });
  const body = JSON.stringify({ id: 'e1', event: 'test.ping', timestamp: 1, data: {} });
  const header = signing.sign({ body, secret: secrets.two, timestamp: Math.floor(Date.now() / 1000) });
  const from = (id: string) => ({ 'x-service-signature': header, 'x-service-subscription-id': id });
  expect(eventOf(from('two'), body)).toEqual(JSON.parse(body));
  expect(() => eventOf(from('one'), body)).toThrow('No v1 matches');
  expect(() => eventOf(from('three'), body)).toThrow('no secret for this X-Service-Subscription-Id');
});

test('retry: creates a patient once, even if the key is used twice', async () => {
  const { createPatient } = example('retry');
  const patient = { clinicId: api.practice.clinicIds[0], name: 'Test Patient' };
  const first = await createPatient(api.url, api.practice.apiKey, patient, 'once');
  expect(await createPatient(api.url, api.practice.apiKey, patient, 'once')).toEqual(first);
  await expect(createPatient(api.url, api.practice.apiKey, {}, 'other')).rejects.toThrow(
    'clinicId is required',
  );
});

test('retry: waits for the seconds in Retry-After', async () => {
  const responses = [
    { status: 503, headers: { 'retry-after': '0' } },
    { status: 200, headers: {} },
  ];
  const server = createServer((request, response) => {
    const { status, headers } = responses.shift() ?? { status: 500, headers: {} };
    request.resume();
    response.writeHead(status, { ...headers, 'content-type': 'application/json' }).end('{"_id":"1"}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  expect(await example('retry').createPatient(url, 'key', {})).toEqual({ _id: '1' });
  expect(responses).toEqual([]);
  server.close();
});

test('poll: reads every page of edited records', async () => {
  const startedAt = new Date(Date.now() - 60_000);
  const created: string[] = [];
  for (let i = 0; i < 101; i++) {
    const { json } = await api.call('POST', '/api/appointments', {
      body: { clinicId: api.practice.clinicIds[0] },
    });
    created.push(json._id);
  }
  const { edited } = example('poll');
  const seen: string[] = [];
  for await (const { _id } of edited(api.url, api.practice.apiKey, 'appointments', startedAt)) seen.push(_id);
  expect(seen.sort()).toEqual(created.sort());
});

test('book: books the free slots of a day one after the other, also if the search is out of date', async () => {
  const [clinicId] = api.practice.clinicIds;
  const week = { tuesday: [], wednesday: [], thursday: [], friday: [], saturday: [], sunday: [] };
  await api.practice.store.openingHours.set(clinicId, {
    weekdays: { monday: [{ opens: '08:00', closes: '10:00' }], ...week },
    ...{ exceptions: [], chairs: 1, slotMinutes: 60 },
  });
  const patient = await api.call('POST', '/api/patients', { body: { clinicId } });
  const wanted = { clinicId, day: '2030-12-02', durationMinutes: 60, patientId: patient.json._id };
  const { bookFirst } = example('book');
  const book = () => bookFirst(api.url, api.practice.apiKey, wanted);
  const booked = await Promise.all([book(), book(), book()]);
  expect(booked.map((appointment) => appointment?.startTime).toSorted()).toEqual([
    '2030-12-02T08:00:00.000Z',
    '2030-12-02T09:00:00.000Z',
    undefined,
  ]);
});

test('onboard: subscribes a clinic with a program token, lists what failed, and repairs it', async () => {
  const dispatcher = startDispatcher({ ...api.environment, WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' });
  onTestFinished(() => void dispatcher.end('SIGKILL'));
  const receiver = await startRecordingReceiver();
  onTestFinished(() => receiver.close());
  await untilDispatching(dispatcher);
  const [clinicId] = api.practice.clinicIds;
  const { json: created } = await api.call('POST', '/api/sessions/current/tokens', {
    as: token(api.practice.administrator.token),
    body: { name: 'Onboarding', access: 'webhooks', clinicIds: [clinicId] },
  });
  const secrets = new Map<string, string>();
  const access = { baseUrl: api.url, token: created.token };
  const { onboard, failures, repair } = example('onboard');
  const onboardAgain = (): Promise<string> => onboard({ ...access, clinicId, url: receiver.url, secrets });
  const since = new Date();

  const lost = await onboardAgain();
  secrets.clear();
  const subscriptionId = await onboardAgain();
  expect(subscriptionId).not.toBe(lost);
  expect(await onboardAgain()).toBe(subscriptionId);
  const [ping] = receiver.posts.slice(-1);
  expect(ping?.headers['x-service-event']).toBe('test.ping');
  const verifier = signing.createVerifier({ secret: secrets.get(subscriptionId) ?? '' });
  verifier.unwrap({
    body: ping?.raw ?? '',
    header: String(ping?.headers['x-service-signature']),
  });

  receiver.respond = (_post, response) => void response.writeHead(500).end();
  await expect(onboardAgain()).rejects.toThrow('The receiver refused the test');
  await api.call('POST', '/api/patients', { body: { clinicId, name: 'Test Patient' } });
  const failed = async () =>
    (await Array.fromAsync(failures({ ...access, subscriptionId, since }) as AsyncIterable<any>)).map(
      ({ event }) => event,
    );
  await expect.poll(failed).toContain('patient.created');

  receiver.respond = (_post, response) => void response.end();
  const before = receiver.posts.length;
  expect(await repair({ ...access, subscriptionId, since })).toBeGreaterThan(0);
  await receiver.until((posts) =>
    posts.slice(before).some(({ headers }) => headers['x-service-event'] === 'patient.created'),
  );
});

describe('a key is sent', () => {
  const inPython = (code: string): [string, ...string[]] => ['python3', '-c', code];
  const inShell = (code: string): [string, ...string[]] => ['sh', '-c', code];
  const REQUESTS = `import base64, os, requests
key, url = os.environ["KEY"], os.environ["URL"] + "/api/clinics"
session = requests.Session()
session.trust_env = False
`;
  const header = '{"Authorization": "Basic " + base64.b64encode(key.encode()).decode()}';
  const inCurl = ['curl', '--version'] as const;

  type Way = {
    way: string;
    /** A command that succeeds if this machine has the program. */
    probe: readonly [string, ...string[]];
    command: [string, ...string[]];
    prints: RegExp;
  };
  const ways: Way[] = [
    { way: 'with curl', probe: inCurl, command: inShell(sourceOf('curl', 'sh')), prints: /"_id":/ },
    {
      way: 'with -u of curl, which adds a colon',
      probe: inCurl,
      command: inShell('curl -sS -u "$KEY:" "$URL/api/clinics"'),
      prints: /contain a colon/,
    },
    {
      way: 'with urllib of Python',
      probe: ['python3', '--version'],
      command: inPython(sourceOf('python', 'python')),
      prints: /^\w+\n$/,
    },
    {
      way: 'with requests of Python',
      probe: inPython('import requests'),
      command: inPython(`${REQUESTS}print(session.get(url, headers=${header}).text)`),
      prints: /"_id":/,
    },
    {
      way: 'with auth of requests, which adds a colon',
      probe: inPython('import requests'),
      command: inPython(`${REQUESTS}print(session.get(url, auth=(key, "")).text)`),
      prints: /contain a colon/,
    },
  ];

  for (const { way, probe, command, prints } of ways) {
    const [program, ...args] = probe;
    if (spawnSync(program, args).status !== 0) {
      // A missing program must not fail the test, but the output must show that the example was not tested.
      test(`${way}: DID NOT RUN, because this machine does not have it`, () => {
        console.warn(`A key was not sent ${way}.`);
        expect(spawnSync(program, args).status).not.toBe(0);
      });
      continue;
    }
    test(way, async () => {
      const [file, ...rest] = command;
      const env = { ...process.env, KEY: api.practice.apiKey, URL: api.url };
      const { stdout } = await promisify(execFile)(file, rest, {
        env,
        timeout: 60_000,
        killSignal: 'SIGKILL',
      });
      expect(stdout).toMatch(prints);
    });
  }

  test('with fetch: an address with a user name is refused before anything is sent', async () => {
    const address = api.url.replace('://', '://key:@');
    await expect(fetch(address)).rejects.toThrow(/credentials/);
  });
});

test('the guide names every failure and every status of the document', () => {
  const { Error: error } = JSON.parse(api.app.openApi).components.schemas;
  for (const name of error.properties.name.enum)
    expect(guide).toMatch(new RegExp(`^\\| \\d{3} \\| \`${name}\``, 'm'));
});

test('echoes: events in any order lead to what the service has, and own changes are known as such', async () => {
  const clinicId = api.practice.clinicIds[0];
  const as = token(api.practice.staff.token);
  const created = (await api.call('POST', '/api/patients', { body: { clinicId, name: 'Test Patient' } }))
    .json;
  const path = `/api/patients/${created._id}`;
  await api.call('PUT', path, { as, body: { phone: '1' } });
  await api.call('PUT', path, { as, body: {} });
  const last = (await api.call('PUT', path, { body: { name: null } })).json;
  const deleted = (await api.call('POST', '/api/patients', { body: { clinicId } })).json;
  await api.call('DELETE', `/api/patients/${deleted._id}`, { as });
  const documents = await openedDocuments(api, 'patients', { _id: { $in: [created._id, deleted._id] } });
  const events = documents.flatMap(({ outbox }) => outbox.map(({ body }: any) => JSON.parse(body)));
  const { ref } = (await api.call('GET', '/api/apikeys/current')).json;
  for (const order of [events, events.toReversed()]) {
    const { known, gone, take } = example('echoes');
    const isNews = new Map(order.map((event) => [event.id, take(event, ref)]));
    expect([...known.values()]).toEqual([last]);
    expect([...gone]).toEqual([deleted._id]);
    expect(events.map(({ id }) => isNews.get(id))).toEqual([false, true, false, false, false, true]);
  }
});

test('batch: the line to paste makes two writes', async () => {
  const { apiKey, clinicIds } = api.practice;
  const { stdout } = await promisify(execFile)('sh', ['-c', sourceOf('batch', 'sh')], {
    env: { PATH: process.env.PATH, URL: api.url, KEY: apiKey, CLINIC: clinicIds[0] },
  });
  expect(JSON.parse(stdout).results.map(({ status }: { status: number }) => status)).toEqual([200, 200]);
});
