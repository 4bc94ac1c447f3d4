import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { BUILD, buildIn } from './build.ts';
import { VERSION } from './version.ts';

test('a built program shows its commit and the time of the build, and a program from its sources says so', () => {
  const folder = mkdtempSync(join(tmpdir(), 'build-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const source = { version: VERSION, commit: 'source', builtTime: 'source' };
  expect(buildIn(folder)).toEqual(source);
  expect(BUILD).toEqual(source);
  const built = { commit: 'a'.repeat(40), builtTime: '2030-01-31T00:00:00.000Z' };
  writeFileSync(join(folder, 'build.json'), JSON.stringify(built));
  expect(buildIn(folder)).toEqual({ version: VERSION, ...built });
});
