import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { verify } from '@chairside/signing';
import {
  type Folder,
  openFolder,
  type RecordingReceiver,
  type Started,
  skewedBy,
  startRecordingReceiver,
  startWholeService,
  testEngines,
  type WholeService,
} from '@chairside/test-support';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { administratorCli, type Cli, emptyCli, keyCli } from './cli.ts';

let service: WholeService;
let folder: Folder;
let key: Cli;
let receiver: RecordingReceiver;
let port: string;

beforeAll(async () => {
  folder = await openFolder();
  receiver = await startRecordingReceiver();
  service = await startWholeService(testEngines().redisUrl);
  ({ port } = new URL(service.address));
  key = keyCli(folder, service);
});
afterAll(async () => {
  await service.close();
  await receiver.close();
  await folder.close();
});

const createPatient = async (name: string): Promise<void> => {
  const { status } = await service.call('POST', '/api/patients', {
    clinicId: service.practice.clinicIds[0],
    name,
  });
  expect(status).toBe(200);
};

/** Returns a list that grows with each JSON line that a command prints. */
const printed = ({ child }: Started): any[] => {
  const lines: any[] = [];
  createInterface({ input: child.stdout as NodeJS.ReadableStream }).on('line', (line) =>
    lines.push(JSON.parse(line)),
  );
  return lines;
};
const _LONG = { timeout: 30_000 };
const idsOf = (events: readonly { id: string }[]) => events.map(({ id }) => id);
const namesOf = (events: readonly { data: { name?: string } }[]) => events.map(({ data }) => data.name);

/** How often the api is killed. The release check does it fifty times. */
const RESTARTS = Number(process.env.FOLLOWED_RESTARTS ?? 1);

test('a follower misses nothing and repeats nothing while the api is killed again and again', async () => {
  const file = join(folder.path, 'events.cursor');
  const since = new Date(Date.now() - 60_000).toISOString();
  const args = ['events', 'follow', '--event', 'patient.created', '--cursor-file', file, '--since', since];
  const first = key.start(args);
  const seen = printed(first);
  let outages = 0;
  createInterface({ input: first.child.stderr as NodeJS.ReadableStream }).on('line', (line) => {
    if (line.includes('Retrying')) outages++;
  });
  for (let round = 0; round < RESTARTS; round++) {
    const before = seen.length;
    for (let index = 0; index < 5; index++) await createPatient(`${round} ${index}`);
    await expect.poll(() => seen.length).toBeGreaterThan(before);
    await service.api.end('SIGKILL');
    await expect.poll(() => outages).toBe(round + 1);
    await service.startApi({ PORT: port });
  }
  // Events may enter the log in another order than their writes. The order of the log counts.
  const log = async () =>
    (await service.call('GET', `/api/events?event=patient.created&limit=1000&since=${since}`)).json;
  await expect.poll(async () => (await log()).length).toBe(5 * RESTARTS);
  await expect.poll(() => idsOf(seen)).toEqual(idsOf(await log()));
  first.child.kill('SIGINT');
  expect((await first.ended).code).toBe(0);

  // The next start continues from the file.
  await createPatient('after');
  const second = key.start(args);
  const more = printed(second);
  await expect.poll(() => namesOf(more)).toEqual(['after']);
  second.child.kill('SIGTERM');
  expect((await second.ended).code).toBe(0);
  expect(await readFile(file, 'utf8')).toMatch(/^\S+\n$/);
});

test('a follower of a practice without events says at once that it waits and how to end', async () => {
  for (const args of [
    ['events', 'follow'],
    ['listen', '--forward-to', 'http://127.0.0.1:1/webhooks'],
  ]) {
    const { child, ended } = key.start(args);
    const lines = createInterface({ input: child.stderr as NodeJS.ReadableStream });
    for await (const line of lines)
      if (line.includes('Waiting for events') && line.includes('Ctrl-C ends')) break;
    child.kill('SIGINT');
    expect((await ended).code).toBe(0);
  }
});

test('a follower on a computer whose clock is wrong begins now', async () => {
  for (const minutes of [-5, 5]) {
    const skewed = emptyCli(folder, { ...key.environment, ...skewedBy(minutes * 60_000) });
    await createPatient(`before ${minutes}`);
    const started = skewed.start(['events', 'follow']);
    const seen = printed(started);
    const lines = createInterface({ input: started.child.stderr as NodeJS.ReadableStream });
    for await (const line of lines) if (line.includes('Waiting for events')) break;
    await createPatient(`after ${minutes}`);
    await expect.poll(() => namesOf(seen)).toContain(`after ${minutes}`);
    // Events of the last seconds before may be printed, but none of the last minutes.
    expect(namesOf(seen).length).toBeLessThan(4);
    started.child.kill('SIGINT');
    expect((await started.ended).code).toBe(0);
  }
});

test('a list begins at an age', async () => {
  await createPatient('of an age');
  const list = async (since: string) => {
    const { code, stdout } = await key.run(['events', 'list', '--since', since]);
    expect(code).toBe(0);
    return stdout;
  };
  await expect.poll(() => list('1 hour ago')).toContain('of an age');
  expect(await list('0s')).toBe('');
});

test('a follower whose session ends reports it and exits with code 3', async () => {
  const { email, password } = service.practice.staff;
  const { json } = await service.call('POST', '/api/sessions', { email, password }, '');
  const cli: Cli = keyCli(folder, service);
  delete (cli.environment as Record<string, string | undefined>).CHAIRSIDE_API_KEY;
  cli.environment.CHAIRSIDE_TOKEN = json.token;
  const { child, ended } = cli.start([
    'events',
    'follow',
    '--since',
    new Date(Date.now() - 600_000).toISOString(),
  ]);
  await once(child.stdout as NodeJS.ReadableStream, 'data');
  await service.call('DELETE', '/api/sessions/current', undefined, `Token ${json.token}`);
  const { code, stderr } = await ended;
  expect(code).toBe(3);
  expect(stderr).toContain('chairside login');
});

test('a start before the 30 days of the log is an error', async () => {
  const old = new Date(Date.now() - 31 * 86_400_000).toISOString();
  const { code, stderr } = await key.run(['events', 'follow', '--since', old]);
  expect(code).toBe(1);
  expect(stderr).toContain('30 days');
});

test('listen sends signed events to a local address, and shows each response', async () => {
  receiver.respond = (_post, response) => void response.writeHead(503).end('busy');
  const args = ['listen', '--events', 'patient.*', '--forward-to', receiver.url, '--verbose'];
  const started = key.start(args);
  const lines = printed(started);
  let secret = '';
  for await (const line of createInterface({ input: started.child.stderr as NodeJS.ReadableStream })) {
    secret = /whsec_\S{32}/.exec(line)?.[0] ?? secret;
    if (line.includes('→')) break;
  }
  await createPatient('forwarded');
  await receiver.until((posts) => posts.some(({ json }) => json.data.name === 'forwarded'));
  await expect.poll(() => lines).toMatchObject([{ event: 'patient.created', status: 503, body: 'busy' }]);
  const post = receiver.posts.find(({ json }) => json.data.name === 'forwarded');
  const header = String(post?.headers['x-service-signature']);
  expect(verify({ header, body: post?.raw ?? '', secret }).timestamp).toBeGreaterThan(0);
  expect(Object.keys(post?.json)).toEqual(['id', 'event', 'timestamp', 'data', 'origin']);
  started.child.kill('SIGINT');
  expect((await started.ended).code).toBe(0);
});

test.each([
  [['listen'], 'Give --forward-to'],
  [['listen', '--forward-to', 'https://example.com/hooks'], '--allow-remote'],
  [['listen', '--allow-remote', '--forward-to', 'http://example.com/hooks'], 'https://'],
  [['listen', '--forward-to', 'ftp://localhost'], 'Give an address'],
  [
    ['listen', '--events', 'patients', '--forward-to', 'http://localhost:1'],
    'Allowed choices are patient.created',
  ],
  [
    ['listen', '--events', 'patient.*', '--events', 'invoice.*', '--forward-to', 'http://localhost:1'],
    'after each --events',
  ],
  [['listen', '--like', 'x', '--forward-to', 'http://localhost:1'], 'needs an operator'],
])('wrong usage: %j', async (args, message) => {
  const { code, stderr } = await key.run(args);
  expect(stderr).toContain(message);
  expect(code).toBe(message === 'needs an operator' ? 3 : 2);
});

test.each([
  ['the payload of the subscription', [], ['_id', 'clinicId', 'lastEditTime']],
  ['--payload full', ['--payload', 'full'], ['_id', 'clinicId', 'createdTime', 'lastEditTime', 'name']],
])(
  'listen --like uses the events, the clinic and the id of a subscription, and %s',
  async (_what, more, fields) => {
    const administrator = administratorCli(folder, service);
    const { _id } = service.subscription;
    await service.practice.store.subscriptions.update(_id, { payload: 'ids' }, new Date());
    const started = administrator.start(['listen', '--like', _id, '--forward-to', receiver.url, ...more]);
    receiver.respond = (_post, response) => void response.end();
    const lines = printed(started);
    for await (const line of createInterface({ input: started.child.stderr as NodeJS.ReadableStream }))
      if (line.includes('→')) break;
    await createPatient('like');
    await expect.poll(() => lines).toMatchObject([{ event: 'patient.created', status: 200 }]);
    const post = receiver.posts.at(-1);
    expect(post?.headers['x-service-subscription-id']).toBe(_id);
    expect(Object.keys(post?.json.data).sort()).toEqual(fields);
    started.child.kill('SIGINT');
    expect((await started.ended).code).toBe(0);
  },
);
