import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { sign } from '../src/index.ts';
import { SECRET } from './entries.ts';
import { makeGoModule } from './go-module.ts';

const docs = join(import.meta.dirname, '../docs');
const root = mkdtempSync(join(tmpdir(), 'chairside-receivers-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

interface Framework {
  name: string;
  /** A command that succeeds if the language and the framework are present. */
  probe: [string, ...string[]];
  /** Prepares the folder, which contains the snippet and the receiver. Returns the command that serves on the port. */
  serve(folder: string, port: string): [string, ...string[]];
}

const DJANGO = `
import os
import sys
from django.conf import settings
settings.configure(ROOT_URLCONF=__name__, SECRET_KEY="x", ALLOWED_HOSTS=["*"])
from django.urls import path
from django_views import receive
urlpatterns = [path("webhooks", receive)]
from django.core.management import execute_from_command_line
execute_from_command_line([sys.argv[0], "runserver", "--noreload", "127.0.0.1:" + os.environ["PORT"]])
`;

const frameworks: Framework[] = [
  {
    name: 'Flask',
    probe: ['python3', '-c', 'import flask'],
    serve: (_folder, port) => ['python3', '-m', 'flask', '--app', 'flask_app', 'run', '--port', port],
  },
  {
    name: 'Django',
    probe: ['python3', '-c', 'import django'],
    serve(folder) {
      writeFileSync(join(folder, 'serve.py'), DJANGO);
      return ['python3', 'serve.py'];
    },
  },
  {
    name: 'Go net/http',
    probe: ['go', 'version'],
    serve(folder) {
      makeGoModule(folder);
      const env = { ...process.env, GOPROXY: 'off', GOTOOLCHAIN: 'local' };
      execFileSync('go', ['build', '-o', 'receiver', 'receiver.go'], { cwd: folder, env });
      return [join(folder, 'receiver')];
    },
  },
  {
    name: 'PHP',
    probe: ['php', '--version'],
    serve: (_folder, port) => ['php', '-S', `127.0.0.1:${port}`, 'webhooks.php'],
  },
];

const BODY =
  '{ "id": "evt_1", "event": "test.ping", "timestamp": 1.0, "data": { "name": "Zo\\u00eb Łuksza" } }\n';
const signedNow = (ago = 0) =>
  sign({ body: BODY, secret: SECRET, timestamp: Math.floor(Date.now() / 1000) - ago });

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  return port;
}

describe('the receivers in other languages', () => {
  let child: ChildProcess | undefined;
  afterEach(async () => {
    const running = child;
    child = undefined;
    if (running === undefined || running.exitCode !== null) return;
    running.kill('SIGKILL');
    await once(running, 'exit');
  });

  for (const { name, probe, serve } of frameworks) {
    const [command, ...args] = probe;
    if (spawnSync(command, args).status !== 0) {
      // A missing language must not fail the test, but the output must show that the receiver was not tested.
      it(`${name}: DID NOT RUN, because this machine does not have it`, () => {
        console.warn(`The receiver for ${name} did not run.`);
        expect(spawnSync(command, args).status).not.toBe(0);
      });
      continue;
    }
    it(`${name}: accepts what the service signed, and says why it refuses anything else`, {
      timeout: 300_000,
    }, async () => {
      const folder = join(root, name.replaceAll(/\W/g, ''));
      for (const part of ['snippets', 'receivers']) cpSync(join(docs, part), folder, { recursive: true });
      const port = String(await freePort());
      const [program, ...given] = serve(folder, port);
      const running = spawn(program, given, {
        cwd: folder,
        env: { ...process.env, PORT: port, CHAIRSIDE_WEBHOOK_SECRET: SECRET, PYTHONDONTWRITEBYTECODE: '1' },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      child = running;
      let output = '';
      for (const stream of [running.stdout, running.stderr])
        stream.on('data', (chunk) => {
          output += chunk;
        });
      const post = async (body: string, signature?: string) => {
        const headers = {
          'content-type': 'application/json',
          ...(signature && { 'x-service-signature': signature }),
        };
        const response = await fetch(`http://127.0.0.1:${port}/webhooks`, { method: 'POST', body, headers });
        return `${response.status} ${(await response.text()).trim()}`.trim();
      };
      while ((await post('', 'x').catch(() => undefined)) === undefined) {
        expect(running.exitCode, output).toBeNull();
        await sleep(50);
      }
      expect(await post(BODY, signedNow())).toBe('204');
      await expect.poll(() => output).toContain('test.ping evt_1');
      expect(await post(BODY.replace('evt_1', 'evt_2'), signedNow())).toBe('400 signature mismatch');
      expect(await post(BODY)).toBe('400 malformed header');
      expect(await post(BODY, signedNow(400))).toBe('400 signed too long ago, or in the future');
      expect(output).not.toContain('evt_2');
    });
  }
});
