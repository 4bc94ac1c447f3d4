import { readFileSync } from 'node:fs';
import { deliveryId, newId } from '@chairside/domain';
import {
  basic,
  createKey,
  environmentOf,
  startCli,
  startWholeService,
  testEngines,
  type WholeService,
  writePatient,
} from '@chairside/test-support';
import { afterAll, beforeAll, expect, test } from 'vitest';

/*
 * The table of docs/operation/levers.md, row by row: the lever is pulled, and what the row says of reads, writes, webhooks and
 * pages is tried. What the connector does is tested with the connector.
 */

const page = readFileSync(new URL('../../../docs/operation/levers.md', import.meta.url), 'utf8');
const rows = [...page.matchAll(/^\| `([^`]+)` \| (.+) \|$/gm)].map(
  ([, lever = '', cells = '']) => [lever, cells.split(' | ')] as const,
);

let service: WholeService;
let clinicId: string;
beforeAll(async () => {
  service = await startWholeService(testEngines().redisUrl);
  [clinicId] = service.practice.clinicIds;
});
afterAll(() => service.close());

const admin = async (...command: string[]): Promise<void> => {
  const { code, stderr } = await startCli(environmentOf(service), command).ended;
  expect({ command, code, stderr }).toEqual({ command, code: 0, stderr: '' });
};

/** A key, an operator's session and a program token, new for each lever. */
type Access = { keyId: string; key: string; email: string; session: string; tokenId: string; token: string };
const openAccess = async (): Promise<Access> => {
  const { store } = service.practice;
  const now = new Date();
  const scopes = ['patients:read', 'patients:write'] as const;
  const key = await createKey(store, { name: 'x', scopes: [...scopes], rateLimit: 1000 }, now);
  const [email, password] = [`${newId()}@example.com`.toLowerCase(), 'a password of the test'];
  await store.operators.create({ email, password, role: 'administrator' }, now);
  const signedIn = await service.call('POST', '/api/sessions', { email, password });
  const session = `Token ${signedIn.json.token}`;
  const body = { name: 'x', access: 'webhooks' };
  const made = await service.call('POST', '/api/sessions/current/tokens', body, session);
  const token = `Token ${made.json.token}`;
  return { keyId: key._id, key: basic(key.secret), email, session, tokenId: made.json._id, token };
};

const restartDispatcher = async (OUTBOUND: string): Promise<void> => {
  await service.dispatcher.end('SIGTERM');
  await service.startDispatcher({ OUTBOUND });
};

type Lever = { pull(access: Access): Promise<void>; putBack(): Promise<void> };
const nothing = async (): Promise<void> => {};
const host = () => new URL(service.receiver.url).host;
const LEVERS: Readonly<Record<string, Lever>> = {
  'OUTBOUND=hold': { pull: () => restartDispatcher('hold'), putBack: () => restartDispatcher('send') },
  'OUTBOUND=off': { pull: () => restartDispatcher('off'), putBack: () => restartDispatcher('send') },
  'chairside-admin organization suspend': {
    pull: () => admin('organization', 'suspend', service.practice.organizationId),
    putBack: () => admin('organization', 'resume', service.practice.organizationId),
  },
  'chairside-admin host block': {
    pull: () => admin('host', 'block', host()),
    putBack: () => admin('host', 'unblock', host()),
  },
  'chairside-admin subscription disable': {
    pull: () => admin('subscription', 'disable', service.subscription._id),
    async putBack() {
      await service.practice.store.subscriptions.update(
        service.subscription._id,
        { active: true },
        new Date(),
      );
    },
  },
  'chairside-admin apikey revoke': {
    pull: ({ keyId }) => admin('apikey', 'revoke', keyId),
    putBack: nothing,
  },
  'chairside-admin programtoken revoke': {
    pull: ({ tokenId }) => admin('programtoken', 'revoke', tokenId),
    putBack: nothing,
  },
  'chairside-admin session end': {
    pull: ({ email }) => admin('session', 'end', '--operator', email),
    putBack: nothing,
  },
};

/** The status that a cell names. */
const statusIn = (cell: string): number => (/^works?$/.test(cell) ? 200 : Number.parseInt(cell, 10));
/** The state of a delivery that a cell names. */
const stateIn = (cell: string): string => {
  if (/wait$/.test(cell)) return 'queued';
  return /are skipped$/.test(cell) ? 'skipped' : 'succeeded';
};

test('every lever of the page is tried', () => {
  expect(rows.map(([lever]) => lever)).toEqual(Object.keys(LEVERS));
});

/** Writes a patient as a request in flight would, and returns the id of the delivery of its event. */
const writeBeside = async (): Promise<string> => {
  const { eventId } = await writePatient(service.practice, clinicId);
  return deliveryId(eventId, service.subscription._id);
};
const statusOf = async (_id: string): Promise<string | undefined> =>
  (await service.database.collection<{ _id: string; status: string }>('deliveries').findOne({ _id }))?.status;
const isSent = (id: string): boolean =>
  service.receiver.posts.some(({ headers }) => headers['x-service-delivery-id'] === id);

test.each(rows)(
  '%s does what the page says',
  async (name, [reads = '', writes = '', webhooks = '', pages = '']) => {
    const access = await openAccess();
    const lever = LEVERS[name] as Lever;
    await lever.pull(access);
    // The credentials that the row is about; if it is about all, the key.
    const [as, path] = /token/.test(reads)
      ? [access.token, '/api/sessions/current']
      : /session/.test(reads)
        ? [access.session, '/api/clinics']
        : [access.key, '/api/patients'];
    const statuses = async () => ({
      reads: (await service.call('GET', path, undefined, as)).status,
      pages: (await service.call('GET', '/api/operators', undefined, access.session)).status,
    });
    const expected = { reads: statusIn(reads), pages: pages === 'sign-in page' ? 401 : statusIn(pages) };
    await expect.poll(statuses).toEqual(expected);
    const write = as === access.key ? { clinicId, name: 'Test Patient' } : {};
    const to = as === access.key ? '/api/patients' : '/api/webhooksubscriptions';
    const written = (await service.call('POST', to, write, as)).status;
    // Whoever has no access gets 401, whatever the body is.
    expect(written).toBe(statusIn(writes));

    const id = await writeBeside();
    await expect.poll(() => statusOf(id)).toBe(stateIn(webhooks));
    expect(isSent(id)).toBe(stateIn(webhooks) === 'succeeded');
    await lever.putBack();
    if (stateIn(webhooks) === 'queued') await expect.poll(() => statusOf(id)).toBe('succeeded');
  },
);
