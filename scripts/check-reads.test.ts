import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { checkReads } from './check-reads.ts';

const FILE = 'packages/a/src/a.ts';

const plant = async (text: string): Promise<string> => {
  const root = await mkdtemp(join(tmpdir(), 'chairside-reads-'));
  onTestFinished(() => rm(root, { recursive: true }));
  await mkdir(dirname(join(root, FILE)), { recursive: true });
  await writeFile(join(root, FILE), text);
  return root;
};

test('refuses reads that name no bound', async () => {
  const text = `
    await collection.find({ organizationId }).toArray(); // refused
    await Array.fromAsync(store.patients.list({})); // refused
    for await (const each of collection.find({ organizationId })) use(each); // refused
    for await (const each of collection.aggregate<Row>([])) use(each); // refused
    await collection.find({ organizationId }, { limit: 10 }).toArray();
    await collection.find({ _id: { $in: ids } }).toArray();
    await collection.find({}, { ...atOnce(ids.length) }).toArray();
    for await (const row of rowsOf(cursor, toRow)) use(row);
    for (const each of list.find(matches)) use(each);
  `;
  const marked = text.split('\n').flatMap((line, index) => (line.endsWith('// refused') ? [index + 1] : []));
  const { problems } = checkReads(await plant(text), {});
  expect(problems.map((line) => Number(/:(\d+) reads as many rows/.exec(line)?.[1]))).toEqual(marked);
});

test('a file may have as many as it is allowed, and neither more nor fewer', async () => {
  const root = await plant('await cursor.toArray();');
  expect(checkReads(root, { [FILE]: [1, 'a reason'] }).problems).toEqual([]);
  expect(checkReads(root, { [FILE]: [2, 'a reason'] }).problems).toEqual([
    `${FILE} has 1 reads without a bound: correct its entry in ALLOWED`,
  ]);
  expect(checkReads(root, { [FILE]: [1, 'a reason'], 'gone.ts': [1, 'a reason'] }).problems).toEqual([
    'gone.ts has 0 reads without a bound: correct its entry in ALLOWED',
  ]);
});
