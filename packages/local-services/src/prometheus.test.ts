import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findPrometheus } from './prometheus.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'promtool-'));
});
afterAll(() => rm(folder, { recursive: true }));

const find = () =>
  findPrometheus('promtool', { cacheDirectory: join(folder, 'cache'), environment: { PATH: folder } });

test('says what was tried and what to do, if there is no promtool and none can be fetched', async () => {
  await expect(find()).rejects.toMatchObject({
    code: 'NO_ENGINE',
    message: expect.stringMatching(
      /^No promtool could be found or fetched\. .*\n {2}- promtool on PATH: not there\n {2}- Debian package of Prometheus: .*\n.*put promtool on PATH/,
    ),
  });
});

test('uses no promtool that is too old for the rules', async () => {
  const file = join(folder, 'promtool');
  await writeFile(file, '#!/bin/sh\necho promtool, version 2.24.1\n');
  await chmod(file, 0o755);
  await expect(find()).rejects.toThrow(
    /promtool on PATH: .* is version 2\.24\.1, but 2\.42\.0 or later is required/,
  );
  await rm(file);
});
