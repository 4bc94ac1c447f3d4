import { type ClientRequest, request } from 'node:http';
import type { OrganizationSchedule } from '@chairside/mongodb/schedule';
import { afterEach, expect, test } from 'vitest';
import { type Connector, openConnector, resultIn, unreadSchedule } from './connector.ts';

let connector: Connector;
/** Requests whose bodies never arrive completely. */
const uploads: ClientRequest[] = [];
afterEach(async () => {
  for (const upload of uploads.splice(0)) upload.destroy();
  await connector.close();
});

/** The functions that end the running reads of the greedy organization. */
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
  expect(refused.status).toBe(429);
  expect(refused.text).toContain('Too many calls of your organization wait.');
  expect(refused.headers.get('retry-after')).not.toBeNull();
  expect((await callAs('neighbour')).status).toBe(200);
  await endReads(202);
  await Promise.all(greedy);
});

const asCaller = (token: string, address: string) =>
  connector.call('list_clinics', {}, { token, headers: { 'x-forwarded-for': address } });

test('a network with many wrong tokens gets 429; each is introspected once, and right tokens of all networks are served', async () => {
  await openSlowConnector();
  const { authorization } = connector;
  const known = authorization.issue({ organization_id: 'neighbour' });
  expect((await asCaller(known, '203.0.113.1')).status).toBe(200);
  const statuses: number[] = [];
  for (let index = 0; index < 320; index += 20) {
    const sent = Array.from({ length: 20 }, (_, n) => asCaller(`wrong-${(index + n) % 40}`, '203.0.113.1'));
    statuses.push(...(await Promise.all(sent)).map(({ status }) => status));
  }
  expect(statuses.toSorted()).toEqual([...Array(300).fill(401), ...Array(20).fill(429)]);
  expect(authorization.asked.filter((token) => token.startsWith('wrong'))).toHaveLength(40);
  const fresh = authorization.issue({ organization_id: 'neighbour' });
  for (const token of [known, fresh]) expect((await asCaller(token, '203.0.113.1')).status).toBe(200);
  expect((await asCaller('wrong-0', '203.0.113.2')).status).toBe(401);
});

test('400 wrong tokens at once from one network get 401 or 429, and a new token of another network is served', async () => {
  await openSlowConnector();
  const { authorization } = connector;
  const held: (() => void)[] = [];
  authorization.hold = (token) =>
    token.startsWith('wrong') ? new Promise((end) => held.push(end)) : undefined;
  const wrong = Array.from({ length: 400 }, (_, index) => asCaller(`wrong-${index}`, '203.0.113.1'));
  const refused = await Promise.race(wrong);
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '2']);
  expect(refused.text).toContain('Too many requests of your network wait.');
  const fresh = authorization.issue({ organization_id: 'neighbour' });
  expect((await asCaller(fresh, '203.0.113.2')).status).toBe(200);
  authorization.hold = undefined;
  for (const end of held) end();
  expect(new Set((await Promise.all(wrong)).map(({ status }) => status))).toEqual(new Set([401, 429]));
});

test('wrong tokens of one network wait for their turn, while new and known tokens of others are served', async () => {
  await openSlowConnector();
  const { authorization } = connector;
  const held: (() => void)[] = [];
  authorization.hold = (token) =>
    token.startsWith('wrong') ? new Promise((end) => held.push(end)) : undefined;
  const known = authorization.issue({ organization_id: 'neighbour' });
  expect((await asCaller(known, '203.0.113.1')).status).toBe(200);
  const wrong = Array.from({ length: 30 }, (_, index) => asCaller(`wrong-${index}`, '203.0.113.1'));
  await expect.poll(() => held.length).toBe(2);
  const fresh = authorization.issue({ organization_id: 'neighbour' });
  expect((await asCaller(fresh, '203.0.113.2')).status).toBe(200);
  expect((await asCaller(known, '203.0.113.1')).status).toBe(200);
  expect(held).toHaveLength(2);
  authorization.hold = undefined;
  for (const end of held) end();
  expect(new Set((await Promise.all(wrong)).map(({ status }) => status))).toEqual(new Set([401]));
});

test('bytes of bodies are limited by organization, and for all organizations together', async () => {
  await openSlowConnector();
  const { authorization } = connector;
  const organizations = Array.from({ length: 8 }, (_, index) => `organization-${index}`);
  /** Sends the uploads again whose place a call of this test had taken. */
  const again: (() => void)[] = [];
  // One byte is missing, so the bodies wait in memory.
  const hold = (organizationId: string) => {
    const token = authorization.issue({ organization_id: organizationId });
    const send = () => {
      const upload = request(`${connector.address}/mcp`, {
        method: 'POST',
        agent: false,
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          'content-length': '65536',
        },
      });
      upload.on('response', () => again.push(send));
      upload.on('error', () => {});
      upload.write(Buffer.alloc(65_535, ' '));
      uploads.push(upload);
    };
    for (let index = 0; index < 32; index++) send();
  };
  /** The status of a call whose body has 60 kB. */
  const statusOf = async (organizationId: string): Promise<number> => {
    for (const send of again.splice(0)) send();
    const token = authorization.issue({ organization_id: organizationId });
    const params = { name: 'list_clinics', arguments: {}, _meta: { padding: ' '.repeat(60_000) } };
    return (await connector.message('tools/call', params, { token, era: '2025-11-25' })).status;
  };
  const [first = '', ...others] = organizations;
  expect(await statusOf('neighbour')).toBe(200);
  hold(first);
  await expect.poll(() => statusOf(first)).toBe(429);
  expect(await statusOf('neighbour')).toBe(200);
  others.forEach(hold);
  await expect.poll(() => statusOf('neighbour')).toBe(503);
});

test('a message with many values that do not fit gets a small refusal', async () => {
  await openSlowConnector();
  const token = connector.authorization.issue({ organization_id: 'neighbour' });
  const initialize = (icons: unknown[]) =>
    connector.message(
      'initialize',
      { protocolVersion: '2025-11-25', clientInfo: { name: 'a', version: '1', icons }, capabilities: {} },
      { token, era: '2025-11-25' },
    );
  const refused = await initialize(Array(30_000).fill(0));
  expect({ status: refused.status, isShort: refused.text.length < 1000 }).toEqual({
    status: 400,
    isShort: true,
  });
  expect(refused.text).toContain('more than 1000 values');
  const nested = await initialize([{ src: 'https://a.example', sizes: Array(30_000).fill(0) }]);
  expect(nested.status).toBe(400);
  expect((await initialize([{ src: 'https://a.example' }])).status).toBe(200);
});
