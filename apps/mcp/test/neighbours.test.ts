import type { OrganizationSchedule } from '@chairside/mongodb/schedule';
import { afterEach, expect, test } from 'vitest';
import { type Connector, openConnector, resultIn, unreadSchedule } from './connector.ts';

let connector: Connector;
afterEach(() => connector.close());

/** The reads of the greedy organization that run, each with the function that ends it. */
let running: (() => void)[];

/** A connector whose database takes as long as the test wants for one organization, and responds at once to others. */
const openSlowConnector = async (): Promise<void> => {
  running = [];
  const organization = (id: string) =>
    ({
      async clinics() {
        if (id === 'greedy') await new Promise<void>((end) => running.push(end));
        return { rows: [], isCut: false };
      },
    }) as Partial<OrganizationSchedule> as OrganizationSchedule;
  const schedule = unreadSchedule();
  connector = await openConnector({ schedule: { ...schedule, organization } });
};
/** Ends the reads of the greedy organization as they begin, until this many have ended. */
const endReads = async (count: number): Promise<void> => {
  let ended = 0;
  await expect
    .poll(() => {
      for (const end of running.splice(0)) {
        ended++;
        end();
      }
      return ended;
    })
    .toBe(count);
};
const callAs = async (organizationId: string) =>
  connector.call(
    'list_clinics',
    {},
    { token: connector.authorization.issue({ organization_id: organizationId }) },
  );

test('one organization runs two calls at once, and others run theirs meanwhile', async () => {
  await openSlowConnector();
  const greedy = Array.from({ length: 30 }, () => callAs('greedy'));
  await expect.poll(() => running.length).toBe(2);
  for (let index = 0; index < 10; index++) {
    const reply = await callAs('neighbour');
    expect({ status: reply.status, clinics: resultIn(reply).clinics }).toEqual({ status: 200, clinics: [] });
  }
  expect(running).toHaveLength(2);
  await endReads(30);
  expect(new Set((await Promise.all(greedy)).map(({ status }) => status))).toEqual(new Set([200]));
});

test('refuses calls of the organization with the most waiting when too many wait', async () => {
  await openSlowConnector();
  // A connected app may make 120 calls a minute, so the calls come from several apps.
  const greedy = Array.from({ length: 202 + 5 }, (_, index) =>
    connector.call(
      'list_clinics',
      {},
      {
        token: connector.authorization.issue({ organization_id: 'greedy', grant_id: `grant-${index % 3}` }),
      },
    ),
  );
  const refused = await Promise.race(greedy);
  expect(refused.status).toBe(503);
  expect(refused.text).toContain('The connector is overloaded. Try again later.');
  expect(refused.headers.get('retry-after')).not.toBeNull();
  expect((await callAs('neighbour')).status).toBe(200);
  await endReads(202);
  await Promise.all(greedy);
});
