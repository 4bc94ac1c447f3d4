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

const home = join(import.meta.dirname, '..');
const modules = join(home, '../../node_modules');
const tsc: [string, string] = [process.execPath, join(modules, 'typescript/bin/tsc')];

/** The maximum size of the bundle, minified and gzipped, in bytes. */
const MAX_SIZE = 8192;

describe('the published package', () => {
  let consumer: Consumer;
  beforeAll(() => {
    consumer = createConsumer(home);
  });
  afterAll(() => consumer.remove());

  it('contains exactly the files that its users need', () => {
    const files = filesOf(consumer);
    const loose = files.filter((name) => !/^(dist|src)\//.test(name));
    expect(loose.sort()).toEqual(['LICENSE', 'README.md', 'package.json']);
    expect(files.filter((name) => /test|example|\.cache/.test(name))).toEqual([]);
    for (const ending of ['js', 'cjs', 'd.ts', 'd.cts']) expect(files).toContain(`dist/index.${ending}`);
    // A user may set this workspace's export condition by accident, so the condition must resolve to an existing file.
    expect(files).toContain('src/index.ts');
  });

  it('has no dependencies and no side effects', () => {
    const published = manifestOf(consumer);
    for (const kind of DEPENDENCY_FIELDS) expect(published[kind]).toBeUndefined();
    const floor = `>=${Number.parseInt(NODE_VERSIONS[0], 10)}`;
    expect(published).toMatchObject({ sideEffects: false, type: 'module', engines: { node: floor } });
    expect(published.scripts).not.toHaveProperty('postinstall');
  });

  it('passes publint and attw', async () => {
    expect((await findingsOf(consumer)).findings).toEqual([]);
  });

  it('has no internal parameters in its types', () => {
    const types = readFileSync(join(consumer.installed, 'dist/client.d.ts'), 'utf8');
    expect(types).not.toContain('runtime');
  });

  it.each([
    ['js', 'esm'],
    ['cjs', 'cjs'],
  ] as const)('has at most 8 KiB and imports nothing: %s', async (ending, format) => {
    const { bytes, imports } = await bundleSize(consumer, `dist/index.${ending}`, format);
    expect(bytes).toBeLessThanOrEqual(MAX_SIZE);
    expect(imports).toEqual([]);
  });

  it('is removed from a bundle that does not use it', async () => {
    expect(await bundleUnused(consumer, 'import "@chairside/client"')).toBe('');
    const unused = 'import { Chairside, ChairsideError } from "@chairside/client"';
    expect(await bundleUnused(consumer, unused)).toBe('');
  });

  it.each(['node16', 'nodenext', 'bundler'] as const)(
    'compiles under %s, as ESM and as CommonJS, without the types of a platform',
    (resolution) => compileWith(consumer, tsc, resolution),
  );

  it.each([
    ['the DOM', { lib: ['es2022', 'dom'] }],
    ['Node.js', { types: ['node'], typeRoots: [join(modules, '@types')], skipLibCheck: true }],
  ])('compiles with the types of %s', (_, options) => {
    compileWith(consumer, tsc, 'nodenext', { ...options, programs: ['consumer.mts', 'platform.mts'] });
  });

  it('works as ESM and as CommonJS', () => {
    expect(consumer.run(process.execPath, 'esm.mjs')).toMatch(/^esm: 13 right/);
    expect(consumer.run(process.execPath, 'cjs.cjs')).toMatch(/^cjs: 13 right/);
  });

  it('works on the oldest supported Node.js', () => {
    const node = installRuntime('node', NODE_VERSIONS[0]);
    expect(consumer.run(node, '--version').trim()).toBe(`v${NODE_VERSIONS[0]}`);
    expect(consumer.run(node, 'esm.mjs')).toMatch(/^esm: 13 right/);
    expect(consumer.run(node, 'cjs.cjs')).toMatch(/^cjs: 13 right/);
  });
});
