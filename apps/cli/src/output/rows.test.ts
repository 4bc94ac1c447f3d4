import widthOf from 'string-width';
import { expect, test } from 'vitest';
import { layoutOf } from './rows.ts';

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
