import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  bundleSize,
  bundleUnused,
  type Consumer,
  compileWith,
  createConsumer,
  DEPENDENCY_FIELDS,
  filesOf,
  findingsOf,
  installRuntime,
  manifestOf,
  NODE_VERSIONS,
} from '@chairside/publishing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { vectors } from './vectors.ts';

const workspace = join(import.meta.dirname, '../../..');
const home = join(import.meta.dirname, '..');
const manifest = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'));
const everyRow = `${vectors.length} + ${vectors.length} rows`;

describe('the published package', () => {
  let consumer: Consumer;
  beforeAll(() => {
    consumer = createConsumer(home);
  });
  afterAll(() => consumer.remove());

  it('contains exactly the files that its users need', () => {
    const files = filesOf(consumer);
    const folders = ['dist', 'src', 'docs'].map((name) => `${name}/`);
    const loose = files.filter((name) => !folders.some((folder) => name.startsWith(folder)));
    expect(loose.sort()).toEqual(['LICENSE', 'README.md', 'package.json', 'vectors.json']);
    expect(files.filter((name) => /test|recipe|driver|\.cache/.test(name))).toEqual([]);
    for (const entry of ['index', 'web', 'browser']) {
      for (const ending of ['js', 'cjs', 'd.ts', 'd.cts']) expect(files).toContain(`dist/${entry}.${ending}`);
    }
    // A user may set this workspace's export condition by accident, so the condition must resolve to existing files.
    for (const name of ['.', './web']) {
      expect(files).toContain(manifest.exports[name]['@chairside/source'].replace('./', ''));
    }
  });

  it('has no dependencies and no side effects', () => {
    const published = manifestOf(consumer);
    for (const kind of DEPENDENCY_FIELDS) expect(published[kind]).toBeUndefined();
    expect(published).toMatchObject({ sideEffects: false, type: 'module', engines: { node: '>=20' } });
    expect(published.scripts).not.toHaveProperty('postinstall');
  });

  it('passes publint and attw', async () => {
    const { findings, entries } = await findingsOf(consumer);
    expect(findings).toEqual([]);
    expect(entries).toEqual(expect.arrayContaining(['.', './web']));
  });

  it.each(['node16', 'nodenext', 'bundler'] as const)(
    'compiles under %s, as ESM and as CommonJS',
    (resolution) => {
      compileWith(
        consumer,
        [process.execPath, join(workspace, 'node_modules/typescript/bin/tsc')],
        resolution,
      );
    },
  );

  it('gives the expected result for every vector from ESM and from CommonJS', () => {
    expect(consumer.run(process.execPath, 'esm.mjs')).toContain(everyRow);
    expect(consumer.run(process.execPath, 'cjs.cjs')).toContain(everyRow);
  });

  it.each([NODE_VERSIONS[0], NODE_VERSIONS.at(-1) as string])(
    'gives the same results on Node %s',
    (version) => {
      const node = installRuntime('node', version);
      expect(consumer.run(node, '--version').trim()).toBe(`v${version}`);
      expect(consumer.run(node, 'esm.mjs')).toContain(everyRow);
      expect(consumer.run(node, 'cjs.cjs')).toContain(everyRow);
    },
  );

  it('states the oldest tested Node as its minimum', () => {
    expect(manifest.engines.node).toBe(`>=${Number.parseInt(NODE_VERSIONS[0], 10)}`);
  });

  it.each([
    ['node', ['node'], 'index'],
    ['deno', ['deno', 'node'], 'index'],
    ['bun', ['bun', 'node'], 'index'],
    ['workerd', ['workerd', 'worker', 'browser'], 'index'],
    ['a browser', ['browser', 'module'], 'browser'],
    ['an edge runtime', ['edge-light', 'worker', 'browser'], 'browser'],
    ['no condition', [], 'index'],
  ])('resolves for %s', async (_, conditions, file) => {
    const inputs = await consumer.bundle('worker.mjs', 'resolved.js', conditions);
    const dist = 'node_modules/@chairside/signing/dist';
    expect(inputs).toEqual(expect.arrayContaining([`${dist}/${file}.js`, `${dist}/web.js`]));
    expect(inputs.filter((name) => name.startsWith(dist))).toHaveLength(2);
  });

  // Measures the size after bundling: the minified entry with all its imports.
  it.each(['index', 'web', 'browser'])(
    'keeps %s under 4 KiB, with no import other than node:crypto',
    async (entry) => {
      for (const [ending, format] of [
        ['js', 'esm'],
        ['cjs', 'cjs'],
      ] as const) {
        const { bytes, imports } = await bundleSize(consumer, `dist/${entry}.${ending}`, format);
        expect(bytes).toBeLessThan(4096);
        expect(imports).toEqual(entry === 'index' ? ['node:crypto'] : []);
      }
    },
  );

  it('is removed from a bundle that does not use it', async () => {
    const imports = 'import "@chairside/signing"; import "@chairside/signing/web"';
    expect(await bundleUnused(consumer, imports)).toBe('');
  });
});
