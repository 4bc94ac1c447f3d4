import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { chromiumArguments } from './chromium.ts';
import { findBrowser, noBrowserText } from './find-browser.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'browser-'));
});
afterAll(() => rm(folder, { recursive: true }));

const program = async (name: string, script: string): Promise<string> => {
  const file = join(folder, name);
  await writeFile(file, `#!/bin/sh\n${script}\n`);
  await chmod(file, 0o755);
  return file;
};
const find = (binary: string) => findBrowser({ environment: { ...process.env, CHROMIUM_BINARY: binary } });

test('refuses a CHROMIUM_BINARY that does not exist or is too old, and says what to do', async () => {
  await expect(find(join(folder, 'missing'))).rejects.toMatchObject({
    code: 'BINARY_UNUSABLE',
    message: expect.stringMatching(/^CHROMIUM_BINARY cannot be used: .*unset CHROMIUM_BINARY/),
  });
  await expect(find(await program('old', 'echo Chromium 90.0.1'))).rejects.toThrow(
    'is version 90.0.1, but 123.0 or later is required',
  );
});

test('refuses a CHROMIUM_BINARY that cannot show a page, and tries no other source', async () => {
  await expect(find(await program('blank', 'echo Chromium 150.0.1'))).rejects.toMatchObject({
    code: 'ENGINE_FAILED',
    message: expect.stringContaining('does not run here: it shows no page'),
  });
});

test('lists the sources that were tried, and the simplest solution', () => {
  const text = noBrowserText([{ source: 'download', reason: 'no network' }]);
  expect(text).toContain('  - download: no network\n');
  expect(text).toContain('set CHROMIUM_BINARY');
});

test('disables the sandbox for root only', () => {
  expect(chromiumArguments(0)).toContain('--no-sandbox');
  expect(chromiumArguments(1000)).not.toContain('--no-sandbox');
});
