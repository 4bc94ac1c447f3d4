import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { packPackage } from '@chairside/publishing';
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
  /** The texts with which the receiver refuses requests. By default, those of the snippets. */
  refusals?: Refusals;
  /** Prepares the folder, which contains the snippet and the receiver. Returns the command that serves on the port. */
  serve(folder: string, port: string): [string, ...string[]];
}
type Refusals = { changed: string; unsigned: string; old: string };

const OF_SNIPPETS: Refusals = {
  changed: 'signature mismatch',
  unsigned: 'malformed header',
  old: 'signed too long ago, or in the future',
};
const OF_PACKAGE: Refusals = { changed: 'mismatch', unsigned: 'missing_header', old: 'too_old' };

const home = join(import.meta.dirname, '..');

/** Makes a project of npm with the packed package, these packages and these files. */
function makeProject(
  folder: string,
  packages: Record<string, string>,
  files: Record<string, string | object>,
): void {
  const { folder: packed, tarball } = packPackage(home);
  const dependencies = { ...packages, '@chairside/signing': `file:${tarball}` };
  const all = { 'package.json': { type: 'module', private: true, dependencies }, ...files };
  for (const [path, content] of Object.entries(all)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), typeof content === 'string' ? content : JSON.stringify(content));
  }
  execFileSync('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: folder });
  rmSync(packed, { recursive: true });
}
const recipe = (name: string): string => readFileSync(join(home, 'recipes', name), 'utf8');

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
    name: 'NestJS',
    probe: ['npm', '--version'],
    refusals: OF_PACKAGE,
    serve(folder) {
      const compilerOptions = {
        ...{ module: 'nodenext', target: 'es2023', strict: true, skipLibCheck: true, types: ['node'] },
        ...{ experimentalDecorators: true, emitDecoratorMetadata: true, isolatedModules: true },
      };
      const packages = {
        '@nestjs/common': '12.5.1',
        '@nestjs/core': '12.5.1',
        '@nestjs/platform-express': '12.5.1',
        'reflect-metadata': '0.2.2',
        rxjs: '7.8.2',
        '@types/express': '5.0.6',
        '@types/node': '24.19.2',
        typescript: '5.9.3',
      };
      const files = {
        'main.ts': recipe('nest.ts'),
        'tsconfig.json': { compilerOptions, files: ['main.ts'] },
      };
      makeProject(folder, packages, files);
      execFileSync(process.execPath, ['node_modules/typescript/bin/tsc', '-p', '.'], { cwd: folder });
      return [process.execPath, 'main.js'];
    },
  },
  {
    name: 'Next.js',
    probe: ['npm', '--version'],
    refusals: OF_PACKAGE,
    serve(folder, port) {
      const packages = {
        next: '16.4.6',
        react: '19.2.0',
        'react-dom': '19.2.0',
        '@types/node': '24.19.2',
        '@types/react': '19.2.0',
        typescript: '5.9.3',
      };
      makeProject(folder, packages, { 'app/webhooks/route.ts': recipe('next.ts') });
      const next = join(folder, 'node_modules/next/dist/bin/next');
      const env = { ...process.env, NEXT_TELEMETRY_DISABLED: '1', NODE_ENV: 'production' };
      execFileSync(process.execPath, [next, 'build'], { cwd: folder, env });
      return [process.execPath, next, 'start', '--hostname', '127.0.0.1', '--port', port];
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
const signedNow = (ago = 0, body = BODY) =>
  sign({ body, secret: SECRET, timestamp: Math.floor(Date.now() / 1000) - ago });

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  return port;
}

describe('the receivers in other languages and in frameworks', () => {
  let child: ChildProcess | undefined;
  afterEach(async () => {
    const running = child;
    child = undefined;
    if (running === undefined || running.exitCode !== null) return;
    running.kill('SIGKILL');
    await once(running, 'exit');
  });

  for (const { name, probe, refusals = OF_SNIPPETS, serve } of frameworks) {
    const [command, ...args] = probe;
    if (spawnSync(command, args).status !== 0) {
      // A missing language must not fail the test, but the output must show that the receiver was not tested.
      it(`${name}: DID NOT RUN, because this machine does not have it`, () => {
        console.warn(`The receiver for ${name} did not run.`);
        expect(spawnSync(command, args).status).not.toBe(0);
      });
      continue;
    }
    it(`${name}: accepts what the service signed, and says why it refuses anything else`, async () => {
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
      const hasStarted = async () => {
        expect(running.exitCode, output).toBeNull();
        return (await post('', 'x').catch(() => undefined)) !== undefined;
      };
      await expect.poll(hasStarted).toBe(true);
      expect(await post(BODY, signedNow())).toBe('204');
      await expect.poll(() => output).toContain('test.ping evt_1');
      expect(await post(BODY.replace('evt_1', 'evt_2'), signedNow())).toBe(`400 ${refusals.changed}`);
      expect(await post(BODY)).toBe(`400 ${refusals.unsigned}`);
      expect(await post(BODY, signedNow(400))).toBe(`400 ${refusals.old}`);
      const large = BODY.replace('Zo', 'Z'.repeat(300_000));
      expect(await post(large, signedNow(0, large))).toBe('204');
      expect(output).not.toContain('evt_2');
    });
  }
});
