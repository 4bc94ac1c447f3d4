import { execFileSync } from 'node:child_process';
import { afterAll, expect, test } from 'vitest';
import { openStrength } from './strength.ts';

const strength = openStrength();
afterAll(() => strength.close());

test.each(['correct horse battery', 'long enough a password', '9xKq-Vb2#mTz'])(
  'accepts %s',
  async (password) => {
    expect(await strength.problemOf(password, [])).toBeUndefined();
  },
);

test.each([
  ['aaaaaaaaaaaaaaaa', 'Repeated characters'],
  ['passwordpassword', 'Repeated character patterns'],
  ['qwertyuiop1234', 'easy to guess'],
])('refuses %s with the reason of zxcvbn', async (password, reason) => {
  const problem = await strength.problemOf(password, []);
  expect(problem).toMatch(/^is too easy to guess/);
  expect(problem).toContain(reason);
  expect(problem).not.toMatch(/\.$/);
});

test('refuses words of the e-mail address and of the organization', async () => {
  const password = 'zahnarztpraxisostend';
  expect(await strength.problemOf(password, [])).toBeUndefined();
  expect(await strength.problemOf(password, ['Zahnarztpraxis Ostend'])).toMatch(/^is too easy to guess/);
  expect(await strength.problemOf('brunhildekowalczyk', ['brunhilde.kowalczyk@example.com'])).toMatch(
    /^is too easy/,
  );
});

test('checks the beginning of a long password, and blocks nothing meanwhile', async () => {
  let ticks = 0;
  const timer = setInterval(() => ticks++, 1);
  expect(await strength.problemOf('passwordpassword'.repeat(60), [])).toBeDefined();
  clearInterval(timer);
  expect(ticks).toBeGreaterThan(1);
});

test('passwords that arrive together get their own results', async () => {
  const both = await Promise.all([
    strength.problemOf('aaaaaaaaaaaaaaaa', []),
    strength.problemOf('correct horse battery', []),
  ]);
  expect(both).toEqual([expect.any(String), undefined]);
});

/** The ids of the processes of this test that check passwords. */
const checkers = (): number[] =>
  execFileSync('ps', ['-eo', 'pid=,ppid=,args='], { encoding: 'utf8' })
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(
      ([, parent, ...given]) =>
        parent === String(process.pid) && given.join(' ').includes('strength-process'),
    )
    .map(([pid]) => Number(pid));

test('a process that is killed at work fails its check only, and close leaves none', async () => {
  const own = openStrength();
  const others = checkers();
  const checked = own.problemOf('correct horse battery', []);
  const [pid] = checkers().filter((each) => !others.includes(each));
  process.kill(pid ?? 0, 'SIGKILL');
  await expect(checked).rejects.toThrow('The process that checks new passwords has ended with SIGKILL.');
  expect(await own.problemOf('correct horse battery', [])).toBeUndefined();
  await own.close();
  expect(checkers()).toEqual(others);
});
