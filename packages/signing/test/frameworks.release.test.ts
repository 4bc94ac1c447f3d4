import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { packPackage } from '@chairside/publishing';
import { afterAll, describe, expect, it } from 'vitest';
import { sign } from '../src/index.ts';
import { SECRET } from './entries.ts';
import { startServer } from './running-server.ts';

const root = mkdtempSync(join(tmpdir(), 'chairside-frameworks-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

interface Framework {
  name: string;
  /** Makes and builds the application in the folder. */
  build(folder: string): void;
  command(port: string): [string, ...string[]];
}

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
const NEXT = 'node_modules/next/dist/bin/next';

const frameworks: Framework[] = [
  {
    name: 'NestJS',
    build(folder) {
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
    },
    command: () => [process.execPath, 'main.js'],
  },
  {
    name: 'Next.js',
    build(folder) {
      const packages = {
        next: '16.4.6',
        react: '19.2.0',
        'react-dom': '19.2.0',
        '@types/node': '24.19.2',
        '@types/react': '19.2.0',
        typescript: '5.9.3',
      };
      makeProject(folder, packages, { 'app/webhooks/route.ts': recipe('next.ts') });
      const env = { ...process.env, NEXT_TELEMETRY_DISABLED: '1', NODE_ENV: 'production' };
      execFileSync(process.execPath, [NEXT, 'build'], { cwd: folder, env });
    },
    command: (port) => [process.execPath, NEXT, 'start', '--hostname', '127.0.0.1', '--port', port],
  },
];

const BODY =
  '{ "id": "evt_1", "event": "test.ping", "timestamp": 1.0, "data": { "name": "Zo\\u00eb Łuksza" } }\n';
const signedNow = (ago = 0, body = BODY) =>
  sign({ body, secret: SECRET, timestamp: Math.floor(Date.now() / 1000) - ago });

describe('the recipes as built applications', () => {
  it.each(frameworks)(
    '$name: accepts what the service signed, and says why it refuses anything else',
    async ({ name, build, command }) => {
      const folder = join(root, name);
      build(folder);
      const server = await startServer({ cwd: folder, secret: SECRET, command });
      if ('exitCode' in server) throw new Error(`It did not start:\n${server.output}`);
      const post = async (body: string, signature?: string) => {
        const headers = {
          'content-type': 'application/json',
          ...(signature && { 'x-service-signature': signature }),
        };
        const url = `http://127.0.0.1:${server.port}/webhooks`;
        const response = await fetch(url, { method: 'POST', body, headers });
        return `${response.status} ${(await response.text()).trim()}`.trim();
      };
      try {
        expect(await post(BODY, signedNow())).toBe('204');
        await expect.poll(server.output).toContain('test.ping evt_1');
        expect(await post(BODY.replace('evt_1', 'evt_2'), signedNow())).toBe('400 mismatch');
        expect(await post(BODY)).toBe('400 missing_header');
        expect(await post(BODY, signedNow(400))).toBe('400 too_old');
        const large = BODY.replace('Zo', 'Z'.repeat(300_000));
        expect(await post(large, signedNow(0, large))).toBe('204');
        expect(server.output()).not.toContain('evt_2');
      } finally {
        await server.stop();
      }
    },
  );
});
