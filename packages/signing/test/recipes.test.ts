import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type SignatureErrorCode, sign } from '../src/index.ts';
import { SECRET } from './entries.ts';
import { type Posted, type RecipeResponse, recipes } from './recipe-runner.ts';

// A parser that runs before the check would lose the spaces, the escape and the 1.0.
const BODY =
  '{ "id": "evt_1", "event": "test.ping", "timestamp": 1.0, "data": { "name": "Zo\\u00eb Łuksza" } }\n';
const accepted = { status: 204, text: '', logged: expect.arrayContaining([['test.ping', 'evt_1']]) };
/** The response to a refused request tells why, so that the sender's log shows it. */
const refused = (code: SignatureErrorCode) => ({ status: 400, text: code, logged: [] });

/** Recipes that other tests run: documents.test.ts and receivers.release.test.ts. */
const ELSEWHERE = ['first.ts', 'nest.ts'];

it('runs every recipe except those that other tests run', () => {
  const files = readdirSync(join(import.meta.dirname, '../recipes'));
  expect(files.filter((name) => !ELSEWHERE.includes(name)).sort()).toEqual(Object.keys(recipes).sort());
});

describe.each(Object.keys(recipes))('recipe %s', (name) => {
  let runner: ChildProcess;
  let headers: Record<string, string>;

  beforeAll(async () => {
    runner = fork(join(import.meta.dirname, 'recipe-runner.ts'), [name], {
      execArgv: ['--conditions=@chairside/source'],
      env: { ...process.env, NODE_OPTIONS: '', CHAIRSIDE_WEBHOOK_SECRET: SECRET },
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    await once(runner, 'message');
  });
  afterAll(() => {
    runner.kill();
  });

  beforeEach(() => {
    headers = { 'Content-Type': 'application/json', 'X-Service-Signature': signedNow(BODY) };
  });

  const signedNow = (body: string, ago = 0) =>
    sign({ body, secret: SECRET, timestamp: Math.floor(Date.now() / 1000) - ago });
  const post = async (posted: Posted): Promise<RecipeResponse> => {
    runner.send(posted);
    const [responded] = await once(runner, 'message');
    return responded;
  };

  it('accepts a request that the service signed', async () => {
    expect(await post({ body: BODY, headers })).toEqual(accepted);
  });

  it('refuses a changed body', async () => {
    expect(await post({ body: BODY.replace('evt_1', 'evt_2'), headers })).toEqual(refused('mismatch'));
  });

  it('refuses a request without signature', async () => {
    expect(await post({ body: BODY, headers: { 'Content-Type': 'application/json' } })).toEqual(
      refused('missing_header'),
    );
  });

  it('refuses a replay', async () => {
    const old = { ...headers, 'X-Service-Signature': signedNow(BODY, 302) };
    expect(await post({ body: BODY, headers: old })).toEqual(refused('too_old'));
  });

  it('accepts the header in lower case', async () => {
    const small = { 'content-type': 'application/json', 'x-service-signature': signedNow(BODY) };
    expect(await post({ body: BODY, headers: small })).toEqual(accepted);
  });

  it('accepts the largest body that the service sends', async () => {
    const body = BODY.replace('Zo', 'Z'.repeat(300_000));
    const large = { ...headers, 'X-Service-Signature': signedNow(body) };
    expect(await post({ body, headers: large })).toEqual(accepted);
  });
});
