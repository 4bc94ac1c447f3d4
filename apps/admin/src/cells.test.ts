import { readImportLine, readSettingLine, recordKinds, settingKinds } from '@chairside/domain';
import { expect, test } from 'vitest';
import { cellsOf } from './cells.ts';

test('a cell becomes the value that the field of a record has in JSON', () => {
  const treatment = {
    externalId: 't-1',
    clinicId: 'c-1',
    patientId: 'p-1',
    procedureId: 'x',
    name: 'Filling',
    teeth: '11, 12',
    surfaces: '["M","O"]',
    status: 'PLANNED',
    price: '120.50',
    currency: 'EUR',
    notes: "'=1+1",
    performedTime: '',
    creationTime: '2026-03-01T09:00:00Z',
  };
  expect(cellsOf('treatment', 'file').lineOf(treatment)).toEqual({
    externalId: 't-1',
    clinicId: 'c-1',
    patientId: 'p-1',
    procedureId: 'x',
    name: 'Filling',
    teeth: ['11', '12'],
    surfaces: ['M', 'O'],
    status: 'PLANNED',
    price: '120.50',
    currency: 'EUR',
    notes: '=1+1',
    creationTime: '2026-03-01T09:00:00Z',
  });
  expect(
    cellsOf('invoice', 'file').lineOf({ number: '0007', total: '120.5', externalId: '12', clinicId: '1' }),
  ).toEqual({ number: '0007', total: 120.5, externalId: '12', clinicId: '1' });
  expect(
    cellsOf('appointment', 'file').lineOf({
      procedures: '[{"procedureId":"x","price":"10.00"}]',
      reminders: '[]',
    }),
  ).toEqual({ procedures: [{ procedureId: 'x', price: '10.00' }], reminders: [] });
});

test('a cell becomes the value that the field of a setting has in JSON', () => {
  const procedure = cellsOf('procedure', 'file').lineOf({
    externalId: 'p-1',
    name: 'Check-up',
    code: '0010',
    price: '45.00',
    currency: 'EUR',
    durationMinutes: '30',
    bookable: 'FALSE',
    clinicIds: 'c-1,c-2',
  });
  expect(procedure).toMatchObject({ code: '0010', price: '45.00', durationMinutes: 30, bookable: false });
  expect(readSettingLine('procedure', procedure)).toMatchObject({
    line: { fields: { clinicIds: ['c-1', 'c-2'] } },
  });
  const deletion = cellsOf('calendar-block', 'file').lineOf({ externalId: 'b-0', kind: '', deleted: 'true' });
  expect(readSettingLine('calendar-block', deletion)).toEqual({ line: { externalId: 'b-0', deleted: true } });
});

test('a cell that is no value of its field is refused by the check of the line', () => {
  const issuesOf = (cells: Record<string, string>) =>
    readImportLine(
      'payment',
      cellsOf('payment', 'file').lineOf({ externalId: 'y', clinicId: 'c', ...cells }),
    );
  expect(issuesOf({ amount: '120,50' })).toMatchObject({
    issues: expect.arrayContaining([{ path: 'amount', message: 'must be a number' }]),
  });
  expect(issuesOf({ amount: '0x10' })).toMatchObject({
    issues: expect.arrayContaining([{ path: 'amount', message: 'must be a number' }]),
  });
});

test('an unknown column is named if it looks like a field, and the message has all columns', () => {
  const { fieldOf, isKnown } = cellsOf('patient', 'people.csv');
  expect(isKnown('name')).toBe(true);
  expect(() => fieldOf('nme')).toThrow(
    'people.csv: there is no field nme. The first line must name the columns, which can be clinicId, externalId, name, email, phone, language.',
  );
  expect(() => fieldOf('Ada Beispiel')).toThrow('there is no field (not a field name).');
  for (const kind of [...recordKinds, ...settingKinds])
    expect(cellsOf(kind, 'file').isKnown('externalId')).toBe(true);
  expect(isKnown('deleted')).toBe(false);
});
