import { describe, expect, test } from 'vitest';
import { decideChange, factsOf, type OperatorChange } from './operator-change.ts';
import type { OperatorDocument } from './operator-document.ts';

const now = new Date('2026-03-01T12:00:00Z');
const earlier = new Date('2026-02-01T12:00:00Z');

const staff: OperatorDocument = {
  _id: 'operator',
  organizationId: 'organization',
  email: 'Staff@example.com',
  emailLowerCase: 'staff@example.com',
  role: 'staff',
  passwordHash: 'old hash',
  networks: ['192.0.2.0/24'],
  createdTime: earlier,
};
const administrator: OperatorDocument = { ...staff, role: 'administrator', accessRevision: 4 };
const disabled: OperatorDocument = { ...administrator, disabledTime: earlier };
const mustChange: OperatorDocument = { ...staff, passwordChangeRequired: true };

type Case = {
  name: string;
  current: OperatorDocument;
  change: 'delete' | Omit<Exclude<OperatorChange, 'delete'>, 'time'>;
  next: OperatorDocument | undefined;
  endsSessions: boolean;
  losesAdministrator: boolean;
};

const keeps = { endsSessions: false, losesAdministrator: false };
const ends = { endsSessions: true, losesAdministrator: false };
const loses = { endsSessions: true, losesAdministrator: true };

const cases: readonly Case[] = [
  { name: 'no value', current: staff, change: {}, next: staff, ...keeps },
  {
    name: 'another e-mail address',
    current: administrator,
    change: { email: 'New@Example.com' },
    next: { ...administrator, email: 'New@Example.com', emailLowerCase: 'new@example.com' },
    ...keeps,
  },
  {
    name: 'the same role',
    current: administrator,
    change: { role: 'administrator' },
    next: administrator,
    ...keeps,
  },
  {
    name: 'a promotion',
    current: staff,
    change: { role: 'administrator' },
    next: { ...staff, role: 'administrator', accessRevision: 1 },
    ...ends,
  },
  {
    name: 'a demotion',
    current: administrator,
    change: { role: 'staff' },
    next: { ...administrator, role: 'staff', accessRevision: 5 },
    ...loses,
  },
  {
    name: 'the demotion of a disabled administrator',
    current: disabled,
    change: { role: 'staff' },
    next: { ...disabled, role: 'staff', accessRevision: 5 },
    ...ends,
  },
  {
    name: 'disabling staff',
    current: staff,
    change: { active: false },
    next: { ...staff, disabledTime: now, accessRevision: 1 },
    ...ends,
  },
  {
    name: 'disabling an administrator',
    current: administrator,
    change: { active: false },
    next: { ...administrator, disabledTime: now, accessRevision: 5 },
    ...loses,
  },
  { name: 'disabling again', current: disabled, change: { active: false }, next: disabled, ...keeps },
  {
    name: 'enabling',
    current: disabled,
    change: { active: true },
    next: { ...administrator, accessRevision: 5 },
    ...ends,
  },
  { name: 'enabling again', current: administrator, change: { active: true }, next: administrator, ...keeps },
  {
    name: 'enabling and demoting at once',
    current: disabled,
    change: { active: true, role: 'staff' },
    next: { ...administrator, role: 'staff', accessRevision: 5 },
    ...ends,
  },
  {
    name: 'another e-mail address of a disabled operator',
    current: disabled,
    change: { email: 'new@example.com' },
    next: { ...disabled, email: 'new@example.com', emailLowerCase: 'new@example.com' },
    ...keeps,
  },
  {
    name: 'a password that somebody else chose',
    current: staff,
    change: { passwordHash: 'new hash', passwordChangeRequired: true },
    next: { ...staff, passwordHash: 'new hash', passwordChangeRequired: true, accessRevision: 1 },
    ...ends,
  },
  {
    name: 'a password that need not be changed',
    current: mustChange,
    change: { passwordHash: 'new hash', passwordChangeRequired: false },
    next: { ...staff, passwordHash: 'new hash', accessRevision: 1 },
    ...ends,
  },
  {
    name: 'another role of an operator who must change the password',
    current: mustChange,
    change: { role: 'administrator' },
    next: { ...mustChange, role: 'administrator', accessRevision: 1 },
    ...ends,
  },
  {
    name: '`passwordChangeRequired` without a password',
    current: staff,
    change: { passwordChangeRequired: true },
    next: staff,
    ...keeps,
  },
  { name: 'deleting staff', current: staff, change: 'delete', next: undefined, ...ends },
  { name: 'deleting an administrator', current: administrator, change: 'delete', next: undefined, ...loses },
  {
    name: 'deleting a disabled administrator',
    current: disabled,
    change: 'delete',
    next: undefined,
    ...ends,
  },
];

describe('decideChange', () => {
  test.each(cases)('$name', ({ current, change, name, ...decision }) => {
    expect(decideChange(current, change === 'delete' ? change : { time: now, ...change })).toEqual(decision);
  });

  test('does not modify the operator that was read', () => {
    const read = structuredClone(disabled);
    decideChange(read, { time: now, active: true, role: 'staff', passwordHash: 'new hash' });
    expect(read).toEqual(disabled);
  });
});

describe('what a change does to an account', () => {
  const told = (changes: Partial<OperatorDocument>, current = staff) =>
    factsOf(current, { ...current, ...changes });

  test('is told', () => {
    expect(told({ passwordHash: 'new hash' })).toEqual(['password']);
    expect(told({ role: 'administrator' })).toEqual(['role']);
    expect(told({ email: 'new@example.com', emailLowerCase: 'new@example.com' })).toEqual(['email']);
  });

  test('is nothing to tell if only the name, the state or the case of the address changes', () => {
    expect(told({ name: 'Ada', disabledTime: now, email: 'STAFF@example.com' })).toEqual([]);
  });

  test('is told to nobody who has no account yet', () => {
    const invited = { ...staff, invitation: { secretHash: 'hash', expiryTime: now, mailId: 'mail' } };
    expect(told({ role: 'administrator', passwordHash: 'new hash' }, invited)).toEqual([]);
  });
});
