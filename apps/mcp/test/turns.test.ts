import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createTokenCheck } from '../src/authorization/checked-tokens.ts';
import { createTurns } from '../src/tools/turns.ts';

/** Work that does not end until the test ends it, with its caller. */
const createWork = () => {
  const running: { caller: string; end: () => void }[] = [];
  return {
    running,
    begin(caller: string): Promise<void> {
      const { promise, resolve: end } = Promise.withResolvers<void>();
      running.push({ caller, end });
      return promise;
    },
    of: (name: string) => running.filter(({ caller }) => caller === name).length,
    async end(count: number) {
      for (const { end } of running.splice(0, count)) end();
      await setImmediate();
    },
  };
};
type Work = ReturnType<typeof createWork>;

/** A token check whose introspections wait. The first part of a token is its organization. */
const createCheck = () => {
  const work = createWork();
  let isHeld = false;
  const refused: string[] = [];
  const check = createTokenCheck({
    introspection: {
      async introspect(token) {
        const [organization_id = ''] = token.split(' ');
        if (isHeld) await work.begin(organization_id);
        const live = { scope: '', client_id: '', iss: '', aud: '', exp: 0, token_type: 'Bearer' } as const;
        return { active: true, ...live, organization_id, grant_id: token, suspended: false };
      },
      close: async () => {},
    },
    limiter: { take: async () => ({ isAllowed: true, remaining: 1, resetSeconds: 1 }) },
  });
  /** Checks tokens, and resolves when they are introspected, wait for their turn, or are refused. */
  const send = async (organization: string, count: number, { address = '192.0.2.1', first = 0 } = {}) => {
    for (let index = first; index < first + count; index++)
      void check(`${organization} ${index}`, address, async () => {}).catch((error: Error) =>
        refused.push(error.name),
      );
    await setImmediate();
  };
  const hold = () => {
    isHeld = true;
  };
  return { work, refused, send, hold };
};
const endAll = async ({ running, end }: Work): Promise<void> => {
  while (running.length > 0) await end(running.length);
};

test('eight known tokens of an organization and 24 in all are checked at once, and organizations take turns', async () => {
  const { work, send, hold } = createCheck();
  const organizations = ['greedy', 'other', 'third', 'neighbour'];
  for (const name of organizations) await send(name, 1);
  hold();
  for (let index = 0; index < 12; index++) await send('greedy', 1);
  expect(work.of('greedy')).toBe(8);
  for (let index = 0; index < 8; index++) {
    await send('other', 1);
    await send('third', 1);
  }
  await send('neighbour', 1);
  expect(work.running).toHaveLength(24);
  // One turn each for the greedy organization and the neighbour.
  await work.end(2);
  expect(work.of('neighbour')).toBe(1);
  await endAll(work);
});

test('refuses a known token of the organization with the most waiting when 1,000 wait', async () => {
  const { work, refused, send, hold } = createCheck();
  for (let first = 0; first < 1009; first++) await send('greedy', 1, { first });
  await send('neighbour', 1);
  hold();
  await send('greedy', 1008);
  expect(refused).toEqual([]);
  await send('greedy', 1, { first: 1008 });
  expect(refused).toEqual(['TooManyRequests']);
  await send('neighbour', 1);
  expect([work.of('neighbour'), refused.length]).toEqual([1, 1]);
  await endAll(work);
});

test('two unknown tokens of a network and eight in all are checked at once, and networks take turns', async () => {
  const { work, send, hold } = createCheck();
  hold();
  for (const name of ['a', 'b', 'c', 'd']) await send(name, 6, { address: `192.0.2.${name.charCodeAt(0)}` });
  await send('neighbour', 1, { address: '192.0.2.1' });
  expect(['a', 'b', 'c', 'd', 'neighbour'].map(work.of)).toEqual([2, 2, 2, 2, 0]);
  // One turn for each network.
  await work.end(5);
  expect(work.of('neighbour')).toBe(1);
  await endAll(work);
});

test('refuses an unknown token of the network with the most waiting when 200 wait', async () => {
  const { work, refused, send, hold } = createCheck();
  hold();
  await send('greedy', 202);
  expect(refused).toEqual([]);
  await send('greedy', 1, { first: 202 });
  expect(refused).toEqual(['TooManyRequests']);
  await send('neighbour', 1, { address: '192.0.2.2' });
  expect([work.of('neighbour'), refused.length]).toEqual([1, 1]);
  await endAll(work);
});

test('two calls of an organization and four in all run at once, and organizations take turns', async () => {
  const work = createWork();
  const turns = createTurns();
  const call = (name: string) => turns.run(name, () => work.begin(name));
  const calls = ['greedy', 'greedy', 'greedy', 'greedy', 'other', 'other', 'neighbour'].map(call);
  expect([work.of('greedy'), work.of('other'), work.running.length]).toEqual([2, 2, 4]);
  // One turn each for the greedy organization and the neighbour.
  await work.end(2);
  expect([work.of('greedy'), work.of('neighbour')]).toEqual([1, 1]);
  await endAll(work);
  await Promise.all(calls);
});
