import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { type Vector, vectors } from './vectors.ts';

const script = join(import.meta.dirname, '../docs/chairside.sh');
const folder = mkdtempSync(join(tmpdir(), 'chairside-shell-'));
afterAll(() => rmSync(folder, { recursive: true }));

// The script takes a single secret, has a fixed tolerance, and does not parse the event. No process argument can contain
// a zero byte.
const judged = vectors.filter(
  ({ operation, secret, tolerance, now, expect, header }) =>
    operation === 'verify' &&
    typeof secret === 'string' &&
    tolerance === 300 &&
    Number.isInteger(now) &&
    expect !== 'bad_option' &&
    !header?.includes('\0'),
);

/** Returns `accept`, or the code of the refusal. */
function run({ header, secret, bodyBase64, now }: Vector): string {
  writeFileSync(join(folder, 'body'), Buffer.from(bodyBase64, 'base64'));
  const env = { ...process.env, CHAIRSIDE_WEBHOOK_SECRET: secret as string };
  const { status, stderr } = spawnSync('bash', [script, header ?? '', 'body', String(now)], {
    cwd: folder,
    env,
    encoding: 'utf8',
  });
  return status === 0 ? 'accept' : stderr.trim();
}

it('the shell script has the expected result for every vector', () => {
  expect(judged.length).toBeGreaterThan(90);
  expect(judged.map((vector) => `${vector.name}: ${run(vector)}`)).toEqual(
    judged.map(({ name, expect }) => `${name}: ${expect}`),
  );
});
