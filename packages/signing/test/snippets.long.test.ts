import { execFileSync, spawnSync } from 'node:child_process';
import { randomBytes, randomInt } from 'node:crypto';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { entries } from './entries.ts';
import { makeGoModule } from './go-module.ts';
import { type Vector, vectors } from './vectors.ts';

const snippets = join(import.meta.dirname, '../docs/snippets');
const drivers = join(import.meta.dirname, 'snippet-drivers');
const folder = mkdtempSync(join(tmpdir(), 'chairside-snippets-'));
afterAll(() => rmSync(folder, { recursive: true }));

// The snippets accept a single secret, and do not validate the secret or the options. The drivers use the default
// tolerance.
const judged = vectors.filter(
  ({ operation, secret, tolerance, now, expect }) =>
    operation === 'verify' &&
    typeof secret === 'string' &&
    tolerance === 300 &&
    Number.isInteger(now) &&
    expect !== 'bad_secret' &&
    expect !== 'bad_option',
);
// The standard libraries of the other languages must compute the same signature for any bytes.
const signed = Array.from({ length: 40 }, async (_, index): Promise<Vector> => {
  const entry = entries[index % entries.length] as (typeof entries)[number];
  const [body, now] = [randomBytes(randomInt(2000)), randomInt(10 ** 12)];
  const secret = `whsec_${randomBytes(32).toString('base64url')}`;
  const header = await entry.sign({ body, secret, timestamp: now });
  const bodyBase64 = body.toString('base64');
  return {
    name: `signed by the ${entry.name}: ${header}`,
    expect: 'accept',
    operation: 'verify',
    secret,
    header,
    bodyBase64,
    now,
    tolerance: 300,
  };
});
const rows = [...judged, ...(await Promise.all(signed))];
const base64 = (text: string) => Buffer.from(text).toString('base64');
const table = (list: Vector[]) =>
  list.map(({ header, secret, bodyBase64, now }) =>
    [base64(header ?? ''), base64(secret as string), bodyBase64, now].join('\t'),
  );

function runDriver(command: string, args: string[], cwd: string): string[] {
  const input = `${table(rows).join('\n')}\n`;
  const env = {
    ...process.env,
    GOPROXY: 'off',
    GOFLAGS: '-mod=mod',
    GOTOOLCHAIN: 'local',
    PYTHONDONTWRITEBYTECODE: '1',
  };
  return execFileSync(command, args, { cwd, input, env, encoding: 'utf8' }).trim().split('\n');
}

interface Language {
  name: string;
  /** The commands that the snippet needs, with arguments that have no effect. */
  runtimes: [string, ...string[]][];
  /** Returns one result for each row. */
  run(cwd: string): string[];
}

const languages: Language[] = [
  {
    name: 'Python',
    runtimes: [['python3', '--version']],
    run: (cwd) => runDriver('python3', ['driver.py'], cwd),
  },
  {
    name: 'Go',
    runtimes: [['go', 'version']],
    run(cwd) {
      makeGoModule(cwd);
      return runDriver('go', ['run', 'driver.go'], cwd);
    },
  },
  {
    name: 'Java',
    runtimes: [
      ['javac', '-version'],
      ['java', '-version'],
    ],
    run(cwd) {
      execFileSync('javac', ['Chairside.java', 'Driver.java'], { cwd });
      return runDriver('java', ['-cp', cwd, 'Driver'], cwd);
    },
  },
  {
    name: 'PHP',
    runtimes: [['php', '--version']],
    run: (cwd) => runDriver('php', ['driver.php'], cwd),
  },
  {
    name: 'shell',
    runtimes: [
      ['bash', '--version'],
      ['openssl', 'version'],
    ],
    run: (cwd) =>
      rows.map(({ header, secret, bodyBase64, now }) => {
        // Neither a process argument nor an HTTP header can contain a zero byte.
        if (header?.includes('\0')) return 'refuse';
        writeFileSync(join(cwd, 'body'), Buffer.from(bodyBase64, 'base64'));
        const env = { ...process.env, CHAIRSIDE_WEBHOOK_SECRET: secret as string };
        const { status } = spawnSync('bash', ['chairside.sh', header ?? '', 'body', String(now)], {
          cwd,
          env,
        });
        return status === 0 ? 'accept' : 'refuse';
      }),
  },
];

describe('the snippets for other languages', () => {
  it('are tested with most of the vectors', () => {
    expect(judged.length).toBeGreaterThan(90);
  });

  for (const { name, runtimes, run } of languages) {
    const missing = runtimes.filter(([command, ...args]) => spawnSync(command, args).status !== 0);
    if (missing.length > 0) {
      const commands = missing.map(([command]) => command).join(' and ');
      // A missing language must not fail the test, but the output must show that the snippet was not tested.
      it(`${name}: DID NOT RUN, because this machine has no ${commands}`, () => {
        console.warn(`The ${name} snippet did not run, because this machine has no ${commands}.`);
        for (const [command] of missing) expect(spawnSync(command).status).not.toBe(0);
      });
      continue;
    }
    it(`${name}: the expected result for every row`, () => {
      const cwd = join(folder, name);
      cpSync(snippets, cwd, { recursive: true });
      cpSync(drivers, cwd, { recursive: true });
      const verdicts = run(cwd);
      const expected = rows.map((row) => (row.expect === 'accept' ? 'accept' : 'refuse'));
      expect(verdicts.map((verdict, index) => `${rows[index]?.name}: ${verdict}`)).toEqual(
        expected.map((verdict, index) => `${rows[index]?.name}: ${verdict}`),
      );
    });
  }
});
