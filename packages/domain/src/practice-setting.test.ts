import { expect, test } from 'vitest';
import { readSettingLine } from './practice-setting.ts';

const block = {
  externalId: 'b',
  clinicId: 'c',
  startTime: '2030-01-01T09:00:00+01:00',
  endTime: '2030-01-01T10:00:00Z',
  kind: 'BREAK',
};
const issuesOf = (...line: Parameters<typeof readSettingLine>): string[] => {
  const read = readSettingLine(...line);
  return 'issues' in read ? read.issues.map(({ path, message }) => `${path} ${message}`) : [];
};

test('drops the free text of a calendar block, and treats null like an absent field', () => {
  const { externalId, ...fields } = {
    ...block,
    startTime: '2030-01-01T08:00:00.000Z',
    endTime: '2030-01-01T10:00:00.000Z',
  };
  const sent = { ...block, providerId: null, title: 'Ada Beispiel', notes: 'Ada Beispiel' };
  expect(readSettingLine('calendar-block', sent)).toEqual({ line: { externalId, fields } });
});

test('an empty text is an absent field', () => {
  const line = { externalId: 'p', name: 'Check-up', durationMinutes: 30, code: '', price: '', currency: '' };
  expect(readSettingLine('procedure', line)).toEqual({
    line: { externalId: 'p', fields: { name: 'Check-up', durationMinutes: 30, bookable: true } },
  });
});

test('a procedure is bookable unless the line says otherwise, and its price has a currency', () => {
  const line = { externalId: 'p', name: 'Check-up', durationMinutes: 30, clinicIds: null };
  expect(readSettingLine('procedure', line)).toEqual({
    line: { externalId: 'p', fields: { name: 'Check-up', durationMinutes: 30, bookable: true } },
  });
  expect(issuesOf('procedure', { ...line, price: '45.00' })).toEqual(['currency must be given with a price']);
  expect(
    issuesOf('procedure', { ...line, price: 2 ** 60, currency: 'EUR', durationMinutes: 1441 }),
  ).toHaveLength(2);
});

test('refuses blocks that end before they begin or last more than a year, and unknown clinics in a provider', () => {
  expect(issuesOf('calendar-block', { ...block, endTime: block.startTime })).toEqual([
    'endTime must be after startTime',
  ]);
  expect(issuesOf('calendar-block', { ...block, endTime: '2031-01-03T00:00:00Z' })).toEqual([
    'endTime must be at most 366 days after startTime: split the block into several',
  ]);
  expect(issuesOf('provider', { externalId: 'd', name: '', clinicIds: ['c', 'c'] })).toEqual([
    'name must not be empty',
    'clinicIds must name each clinic once',
  ]);
  expect(issuesOf('provider', { externalId: 'd', name: 'x', clinicIds: [] })).toEqual([
    'clinicIds must name at least one clinic',
  ]);
});

test('a line can delete a setting, and an issue never quotes a value', () => {
  expect(readSettingLine('provider', { externalId: 'd', deleted: true })).toEqual({
    line: { externalId: 'd', deleted: true },
  });
  expect(issuesOf('provider', { externalId: 'd', deleted: false, name: 'Ada' })).toEqual([
    'deleted must be true, or absent',
    ' has fields that this kind does not have: name',
  ]);
  const issues = [
    ...issuesOf('provider', 'Ada'),
    ...issuesOf('provider', { externalId: 'd', name: 'Ada\0', clinicIds: 'Ada', 'Ada Beispiel': 1 }),
    ...issuesOf('calendar-block', { ...block, kind: 'Ada' }),
  ];
  expect(issues.length).toBeGreaterThan(4);
  expect(issues.join()).not.toContain('Ada');
});
