import widthOf from 'string-width';
import { expect, test, vi } from 'vitest';
import { layoutOf, printRows } from './rows.ts';

const id = '01JB0000000000000000PAT1E0';
const row = [id, 'a'.repeat(100), 'short', '2030-01-31T00:00:00Z'];
const columns = ['_id', 'name', 'status', 'lastEditTime'];

test('a table fits into the width: text is cut, the last columns are left out, ids stay whole', () => {
  expect(layoutOf(columns, [row], 200, widthOf)).toEqual([
    ['_id', 26],
    ['name', 60],
    ['status', 6],
    ['lastEditTime', 20],
  ]);
  expect(layoutOf(columns, [row], 80, widthOf)).toEqual([
    ['_id', 26],
    ['name', 22],
    ['status', 6],
    ['lastEditTime', 20],
  ]);
  expect(layoutOf(columns, [row], 50, widthOf)).toEqual([
    ['_id', 26],
    ['name', 14],
    ['status', 6],
  ]);
  expect(layoutOf(columns, [row], 10, widthOf)).toEqual([['_id', 26]]);
});

test('a page without rows, after which others follow, does not decide the layout', async () => {
  const written: string[] = [];
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => written.push(String(text)) > 0);
  try {
    const pages = (async function* () {
      yield* [[], [{ _id: id, name: 'Ada Beispiel' }]];
    })();
    await printRows(pages, { output: 'table' }, { shown: ['_id', 'name'], all: ['_id', 'name'] });
  } finally {
    vi.restoreAllMocks();
  }
  expect(written.join('')).toBe(`${'_id'.padEnd(26)}  name        \n${id}  Ada Beispiel\n`);
});
