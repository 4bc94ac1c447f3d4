import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { checkTests } from './check-tests.ts';

const FILE = 'packages/a/src/a.test.ts';

/** A folder with one test file. */
const plant = async (text: string): Promise<string> => {
  const root = await mkdtemp(join(tmpdir(), 'chairside-tests-'));
  onTestFinished(() => rm(root, { recursive: true }));
  await mkdir(dirname(join(root, FILE)), { recursive: true });
  await writeFile(join(root, FILE), text);
  return root;
};

/** The numbers of the lines that the check refuses. */
const refusedLines = async (text: string, remedy: RegExp): Promise<number[]> => {
  const { problems } = checkTests(await plant(text), {});
  for (const line of problems) expect(line).toMatch(remedy);
  return problems.map((line) => Number(/:(\d+) /.exec(line)?.[1]));
};

/** The numbers of the lines that end in `// refused`. */
const marked = (text: string): number[] =>
  text.split('\n').flatMap((line, index) => (line.endsWith('// refused') ? [index + 1] : []));

test.each([
  [
    'a sleep',
    /waits for a time/,
    `
    import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises';
    await turn();
    await pause(50); // refused
    await new Promise((resolve) => setTimeout(resolve, 50)); // refused
    await new Promise((resolve) => setTimeout(resolve));
    setTimeout(() => child.kill(), 100); // refused
    await page.waitForTimeout(100); // refused
    spawn('sh', ['-c', 'echo a; sleep 1']); // refused
    `,
  ],
  [
    'a limit of its own for a wait',
    /has a limit of its own/,
    `
    await expect.poll(read, { timeout: 500 }).toBe(1); // refused
    await expect.poll(read, WITHIN).toBe(1); // refused
    await expect.poll(read, { interval: 20 }).toBe(1);
    await vi.waitFor(check); // refused
    await vi.waitUntil(check); // refused
    await vi.waitUntil(check, { timeout: LONGEST_WAIT_MS });
    vi.setConfig({ testTimeout: 1000 }); // refused
    await page.waitForURL('/x', { timeout: 1000 }); // refused
    page.setDefaultTimeout(1000); // refused
    page.setDefaultTimeout(LONGEST_WAIT_MS);
    await fetch(url, { signal: AbortSignal.timeout(1000) }); // refused
    await fetch(url, { signal: AbortSignal.timeout(LONGEST_WAIT_MS) });
    execFileSync('node', [], { timeout: 1000 }); // refused
    test('a', async () => {}, 1000); // refused
    test('a', { timeout: 1000 }, async () => {}); // refused
    test.each([1])('a', async () => {}, LIMIT_MS); // refused
    beforeAll(async () => {}, 1000); // refused
    test('a', async () => client.get('a', { timeout: 50 }));
    `,
  ],
  [
    'a duration as a condition',
    /depends on how long/,
    `
    const took = performance.now() - began; // refused
    expect(Date.now() - began).toBeLessThan(500); // refused
    expect(at).toBeGreaterThan(Date.now() - 60_000); // refused
    expect(at).toBeLessThanOrEqual(Date.now());
    expect(sum).toBeGreaterThan(duration / 2); // refused
    expect(line.timings.firstByte).toBeLessThan(9000); // refused
    expect(duration).toBe(5000);
    const past = new Date(Date.now() - age);
    const timestamp = Math.floor(Date.now() / 1000) - age;
    const hourAgo = Date.now() - HOUR;
    `,
  ],
  [
    'a window that passes',
    /counts within a window/,
    `
    const own = openRateLimiter({ url }); // refused
    const steady = steadyLimiter(openRateLimiter({ url }));
    const open = () => openAuthorizationServer(config, metrics); // refused
    const held = () => openAuthorizationServer(config, metrics, { limitsNow: () => TIME });
    test('a', () => openAuthorizationServer(config, metrics));
    const service = await startWholeService(redisUrl);
    expect((await call()).status).toBe(429); // refused
    `,
  ],
  [
    'a fixed name',
    /uses a fixed name/,
    `
    startApi({ REDIS_PREFIX: '{test}', PORT: '0' }); // refused
    startApi({ REDIS_PREFIX: \`{\${randomUUID()}}\`, PORT: '3000' }); // refused
    const queue = openEventProducer({ prefix: '{test}' }); // refused
    client.db('test'); // refused
    client.db(name);
    withDatabase(url, 'test'); // refused
    join(tmpdir(), 'test'); // refused
    mkdtemp(join(tmpdir(), 'test-'));
    writeFileSync('/tmp/test', ''); // refused
    server.listen(3000); // refused
    server.listen({ port: 3000 }); // refused
    server.listen(0, '127.0.0.1');
    `,
  ],
])('refuses %s', async (_hazard, remedy, text) => {
  expect(marked(text).length).toBeGreaterThan(0);
  expect(await refusedLines(text, remedy)).toEqual(marked(text));
});

test('timers that a test drives are no sleeps, and their times no durations', async () => {
  const text = `
    vi.useFakeTimers();
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(performance.now() - began).toBe(50);
  `;
  expect(await refusedLines(text, /./)).toEqual([]);
});

test('timers that one test drives pass for the others', async () => {
  const text = `
    test('a', () => {
      vi.useFakeTimers();
      expect(performance.now() - began).toBe(50);
    });
    test('b', () => expect(performance.now() - began).toBe(50)); // refused
  `;
  expect(await refusedLines(text, /depends on how long/)).toEqual(marked(text));
});

test('a file may do what it is allowed, and an allowance that nothing needs is refused', async () => {
  const root = await plant("client.db('test');");
  expect(checkTests(root, { [FILE]: { name: 'a reason' } }).problems).toEqual([]);
  const gone = 'packages/a/src/b.test.ts';
  expect(checkTests(root, { [FILE]: { name: 'a', sleep: 'a' }, [gone]: { name: 'a' } }).problems).toEqual([
    `${FILE} has no "sleep" any more: remove it from ALLOWED`,
    `${gone} has no "name" any more: remove it from ALLOWED`,
  ]);
});
