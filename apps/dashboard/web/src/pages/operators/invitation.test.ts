import { expect, test } from 'vitest';
import { shownInvitation, stateOfInvitation } from './invitation.ts';

const NOW = Date.parse('2030-01-31T12:00:00.000Z');
const later = '2030-02-02T12:00:00.000Z';

test.each([
  [{ expiryTime: later, mail: 'queued' as const }, 'info', 'Invited'],
  [{ expiryTime: later }, 'info', 'Invited'],
  [{ expiryTime: later, mail: 'failed' as const }, 'bad', 'Invitation not delivered'],
  [{ expiryTime: later, mail: 'unknown' as const }, 'warning', 'Invitation perhaps not delivered'],
  [{ expiryTime: '2030-01-31T12:00:00.000Z', mail: 'failed' as const }, 'warning', 'Invitation ended'],
])('%o is %s', (invitation, tone, text) => {
  expect(stateOfInvitation(invitation, NOW)).toEqual({ tone, text });
});

test('a mailed link is not shown', () => {
  const operator = {
    _id: 'o',
    email: 'ada@example.com',
    role: 'staff' as const,
    active: true,
    passwordChangeRequired: false,
    factors: [],
    createdTime: later,
  };
  expect(shownInvitation(operator)).toBeUndefined();
  const shown = shownInvitation({
    ...operator,
    name: 'Ada Byron',
    invitationUrl: 'https://d.example/invitation#s',
  });
  expect(shown).toMatchObject({
    text: 'https://d.example/invitation#s',
    explanation: expect.stringContaining('Ada Byron'),
  });
});
