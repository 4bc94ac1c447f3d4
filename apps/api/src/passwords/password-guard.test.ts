import type { Refusal } from '@chairside/domain';
import { expect, test } from 'vitest';
import { createPasswordGuard, type PasswordCaller } from './password-guard.ts';

/** A guard whose counters never expire. */
const openGuard = () => {
  const counts = new Map<string, number>();
  const add = (key: string, by: number): number => {
    const count = (counts.get(key) ?? 0) + by;
    counts.set(key, count);
    return count;
  };
  return createPasswordGuard({
    async take(key, { calls }) {
      const count = add(key, 1);
      return { isAllowed: count <= calls, remaining: Math.max(0, calls - count), resetSeconds: 1 };
    },
    async refund(key) {
      add(key, -1);
    },
  });
};

const caller: PasswordCaller = { name: 'staff@example.com', network: 'network', site: 'site' };
/** Attempts whose e-mail address, network and site are others each time. */
const varying = (index: number, same: Partial<PasswordCaller>): PasswordCaller => ({
  name: `${index}@example.com`,
  network: `network ${index}`,
  site: `site ${index}`,
  ...same,
});

test.each([
  ['passwords_of_pair', 5, { name: caller.name, network: caller.network }, false],
  ['passwords_of_network', 50, { network: caller.network }, false],
  ['passwords_of_site', 200, { site: caller.site }, false],
  ['passwords_of_email', 50, { name: caller.name }, false],
  ['passwords_right', 300, { name: caller.name }, true],
])('%s allows %i attempts, and refuses the next without a check', async (id, most, same, isRight) => {
  const guard = openGuard();
  let checks = 0;
  const attempt = (by: PasswordCaller) =>
    guard.attempt(
      by,
      async () => false,
      async () => {
        checks++;
        return isRight ? 'right' : undefined;
      },
    );
  for (let index = 0; index < most; index++) await attempt(varying(index, same));
  const refusal = await attempt(varying(most, same)).catch((error: Refusal) => error.limit);
  expect([refusal, checks]).toEqual([id, most]);
  await attempt(varying(most + 1, {}));
  expect(checks).toBe(most + 1);
});
