import { createVerifier, SignatureError, signatureHeader } from '@chairside/signing';
import {
  type Folder,
  openFolder,
  type RecordingReceiver,
  startRecordingReceiver,
} from '@chairside/test-support';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { EXAMPLES } from '../src/listen/example-table.ts';
import { type Cli, emptyCli, linesOf } from './cli.ts';

const SECRET = `whsec_${'s'.repeat(32)}`;
const webhooks = createVerifier({ secret: SECRET });

let folder: Folder;
let receiver: RecordingReceiver;
/** The command line without credentials. */
let cli: Cli;
beforeAll(async () => {
  folder = await openFolder();
  receiver = await startRecordingReceiver();
  cli = emptyCli(folder, { RECEIVER_SECRET: SECRET });
});
afterAll(async () => {
  await receiver.close();
  await folder.close();
});
beforeEach(() => {
  receiver.posts.length = 0;
  receiver.respond = (post, response) => {
    try {
      webhooks.unwrap({ body: post.raw, header: signatureHeader(post.headers) });
      response.writeHead(204).end();
    } catch (error) {
      if (!(error instanceof SignatureError)) throw error;
      response.writeHead(400).end(error.code);
    }
  };
});

const trigger = (event: string, ...more: string[]) =>
  cli.run(['events', 'trigger', event, '--forward-to', receiver.url, ...more]);
const signed = ['--secret-env', 'RECEIVER_SECRET'];

describe('events trigger', () => {
  test.each(Object.keys(EXAMPLES))('sends a signed example of %s, without credentials', async (event) => {
    const started = Date.now();
    const ended = await trigger(event, ...signed);
    expect({ code: ended.code, stderr: ended.stderr }).toEqual({ code: 0, stderr: '' });
    /** Whether a time, in units of milliseconds, is one of this test. */
    const isNow = (time: number, unit = 1) =>
      time >= Math.floor(started / unit) && time <= Math.floor(Date.now() / unit);
    const [post] = receiver.posts;
    const { id, timestamp, data } = post?.json ?? {};
    expect(linesOf(ended)).toMatchObject([{ event, id, to: receiver.url, status: 204 }]);
    expect(post?.headers).toMatchObject({
      'content-type': 'application/json',
      'x-service-event': event,
      'x-service-event-id': id,
      'x-service-delivery-id': id,
      'webhook-id': id,
      'x-service-subscription-id': 'example',
    });
    expect(id).toMatch(/^example-/);
    expect({ timestamp, isNow: isNow(timestamp, 1000) }).toEqual({ timestamp, isNow: true });
    const { lastEditTime = '', ...fields } = data;
    expect(EXAMPLES[event]).toMatchObject(fields);
    if (event !== 'test.ping')
      expect({ lastEditTime, isNow: isNow(Date.parse(lastEditTime)) }).toEqual({ lastEditTime, isNow: true });
  });

  test('sends only ids with --payload ids', async () => {
    await trigger('patient.created', ...signed, '--payload', 'ids');
    expect(Object.keys(receiver.posts[0]?.json.data).sort()).toEqual([
      ...['_id', 'clinicId', 'externalId', 'lastEditTime'],
    ]);
  });

  test('names the subscription that it is told, and refuses what is no secret of one', async () => {
    await trigger('patient.created', ...signed, '--subscription-id', 'sub_1');
    expect(receiver.posts[0]?.headers['x-service-subscription-id']).toBe('sub_1');
    const wrong = await emptyCli(folder, { RECEIVER_SECRET: 'a secret of my own' }).run([
      ...['events', 'trigger', 'patient.created', '--forward-to', receiver.url, ...signed],
    ]);
    expect(wrong.code).toBe(2);
    expect(wrong.stderr).toContain('RECEIVER_SECRET has no secret of a subscription');
  });

  test('sends a new id each time', async () => {
    await trigger('patient.created', ...signed);
    await trigger('patient.created', ...signed);
    expect(new Set(receiver.posts.map(({ json }) => json.id)).size).toBe(2);
  });

  test('shows the response of a receiver that refuses, and ends with code 1', async () => {
    const other = emptyCli(folder, { RECEIVER_SECRET: `whsec_${'t'.repeat(32)}` });
    const args = ['events', 'trigger', 'invoice.paid', '--forward-to', receiver.url, ...signed];
    const ended = await other.run(args);
    expect(linesOf(ended)).toMatchObject([{ status: 400, body: 'mismatch' }]);
    expect(ended.stderr).toContain('responded with 400 mismatch.');
    expect(ended.code).toBe(1);
  });

  test('signs with the secret of listen, which it keeps in the profile', async () => {
    const environment = { CHAIRSIDE_URL: 'http://127.0.0.1:9', XDG_CONFIG_HOME: folder.path };
    const args = ['events', 'trigger', 'patient.deleted', '--forward-to', receiver.url];
    const secrets: (string | undefined)[] = [];
    receiver.respond = (_post, response) => void response.writeHead(204).end();
    for (const _ of [1, 2]) {
      const { stderr } = await emptyCli(folder, environment).run(args);
      secrets.push(/whsec_\w{32}/.exec(stderr)?.[0]);
    }
    const [secret] = secrets;
    expect(secrets).toEqual([secret, secret]);
    for (const { raw, headers } of receiver.posts)
      createVerifier({ secret }).verify({ body: raw, header: signatureHeader(headers) });
    expect(receiver.posts).toHaveLength(2);
  });

  test.each([
    ['no secret', ['patient.created', '--forward-to', 'http://localhost:1'], 2, 'Give --secret-env'],
    [
      'an empty variable',
      ['patient.created', '--forward-to', 'http://localhost:1', '--secret-env', 'NOTHING'],
      2,
      'The environment variable NOTHING is not set.',
    ],
    ['an unknown event', ['patient.made', '--forward-to', 'http://localhost:1'], 2, 'test.ping.'],
    ['no address', ['patient.created'], 2, "required option '--forward-to <address>' not specified"],
    [
      'plain http elsewhere',
      ['patient.created', '--forward-to', 'http://example.com/', ...signed],
      2,
      'https://',
    ],
  ])('%s', async (_, args, code, message) => {
    const ended = await cli.run(['events', 'trigger', ...args]);
    expect(ended.stderr).toContain(message);
    expect(ended.code).toBe(code);
  });

  test('says that nothing listens', async () => {
    const closed = await startRecordingReceiver();
    await closed.close();
    const ended = await cli.run(['events', 'trigger', 'test.ping', '--forward-to', closed.url, ...signed]);
    expect(ended.stderr).toContain('did not respond: nothing listens there (ECONNREFUSED).');
    expect(ended.code).toBe(1);
  });
});
