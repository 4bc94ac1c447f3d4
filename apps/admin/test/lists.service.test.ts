import type { Outcome } from '@chairside/mongodb/dispatch';
import {
  collectionsWith,
  createKey,
  createPractice,
  type Ended,
  environmentOf,
  openedDocuments,
  openTestStore,
  type Practice,
  startCli,
  type TestStore,
} from '@chairside/test-support';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { adminOf } from './admin.ts';

let testStore: TestStore;
let one: Practice;
let other: Practice;
let cli: ReturnType<typeof adminOf>;
/** Ids of subscriptions: two of one practice in different clinics, and one of another practice. */
let north: string;
let south: string;
let foreign: string;

const PRIVATE = 'Canary of a patient';
const BEGINNING = Date.parse('2026-01-01T00:00:00Z');
const at = (minute: number) => new Date(BEGINNING + minute * 60_000);

const refused: Outcome = {
  outcome: 'failed',
  cause: 'connect',
  reason: 'The receiver refused the connection.',
  code: 'ECONNREFUSED',
  address: '192.0.2.7',
  attemptTime: at(0),
  duration: 12.5,
  timings: { lookup: 2, connect: 10.5 },
};
const responded: Outcome = {
  outcome: 'failed',
  cause: 'status',
  reason: 'The receiver responded with status 500.',
  statusCode: 500,
  address: '192.0.2.7',
  attemptTime: at(0),
  duration: 20,
  timings: { firstByte: 20 },
  responseBody: PRIVATE,
};

const subscribe = async ({ store }: Practice, clinicId: string): Promise<string> => {
  const sent = { clinicId, url: 'https://example.com:8443/TOKEN?key=TOKEN', events: [], active: true };
  const made = await store.subscriptions.create(sent, new Date());
  if (made === undefined) throw new Error('a clinic has no room for a subscription');
  return made._id;
};

/** Stores a delivery for each of these minutes after BEGINNING, like the dispatcher. */
const deliver = async (
  { organizationId, clinicIds }: Practice,
  subscriptionId: string,
  minutes: readonly number[],
  outcome?: Outcome,
): Promise<void> => {
  const { deliveries } = testStore.store.everyOrganization;
  for (const minute of minutes) {
    const delivery = {
      _id: `event-${minute}-${subscriptionId}`,
      organizationId,
      clinicId: clinicIds[0],
      subscriptionId,
      eventId: `event-${minute}`,
      event: 'patient.created',
      kind: 'event' as const,
      requestId: 'request-1',
    };
    await deliveries.insert([delivery], at(minute));
    if (outcome === undefined) continue;
    const [claimed] = await deliveries.claim([delivery], 'token', 'worker-1');
    if (claimed === undefined) throw new Error('a new delivery cannot be claimed');
    // Use the current time, because MongoDB deletes deliveries that became final long ago.
    await deliveries.finish([{ delivery: claimed, outcome }], new Date());
  }
};

beforeAll(async () => {
  testStore = await openTestStore();
  one = await createPractice(testStore.store);
  other = await createPractice(testStore.store);
  cli = adminOf(testStore);
  north = await subscribe(one, one.clinicIds[0]);
  south = await subscribe(one, one.clinicIds[1]);
  foreign = await subscribe(other, other.clinicIds[0]);
  await deliver(one, north, [0, 2], refused);
  await deliver(one, south, [1], responded);
  await deliver(one, south, [3]);
  await deliver(other, foreign, [4], responded);
});
afterAll(() => testStore.close());

/** The rows of a list: one JSON object per line. */
const rowsOf = ({ stdout }: Ended): any[] =>
  stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
const idsOf = (ended: Ended): string[] => rowsOf(ended).map(({ _id }) => _id);
const list = (kind: string, ...options: string[]) => cli.run([kind, 'list', ...options]);
const messageOf = ({ stderr }: Ended): string => JSON.parse(stderr).error.message;

test('lists API keys with their clinics and their end, without secrets and names', async () => {
  const expiryTime = '2030-01-31T00:00:00.000Z';
  const [clinicId] = other.clinicIds;
  const key = {
    name: 'Key of a customer',
    scopes: [],
    rateLimit: 100,
    clinicIds: [clinicId],
    expiryTime: new Date(expiryTime),
  };
  const made = await createKey(other.store, key, new Date());
  await other.store.apiKeys.rotate(made._id, new Date(expiryTime), new Date());
  const ended = await list('apikey', '--organization', other.organizationId);
  const row = rowsOf(ended).find(({ _id }) => _id === made._id);
  expect(row).toMatchObject({
    organizationId: other.organizationId,
    clinicIds: [clinicId],
    expiryTime,
    formerSecret: { expiryTime },
  });
  expect(idsOf(await list('apikey'))).toEqual(expect.arrayContaining(idsOf(ended)));
  const shown = ['apikey', 'list', '--organization', other.organizationId];
  const { stdout } = await startCli(environmentOf(testStore), shown).ended;
  expect(stdout).toContain(
    `${made._id}  ${other.organizationId}  clinics ${clinicId}  never used  until ${expiryTime}  former secret until ${expiryTime}`,
  );
  expect(`${ended.stdout} ${stdout}`).not.toMatch(/chairside_key_|customer/);
});

test('lists organizations, clinics and operators, of all organizations or of one', async () => {
  const organizations = rowsOf(await list('organization'));
  expect(organizations).toEqual(
    [one, other].map(({ organizationId }) => ({
      _id: organizationId,
      name: 'Test practice',
      createdTime: expect.any(String),
    })),
  );
  expect(idsOf(await list('organization', '--limit', '1'))).toEqual([one.organizationId]);
  expect(idsOf(await list('clinic'))).toHaveLength(4);
  const clinics = rowsOf(await list('clinic', '--organization', other.organizationId));
  expect(clinics.map(({ _id }) => _id).sort()).toEqual([...other.clinicIds].sort());
  expect(clinics[0]).toMatchObject({ organizationId: other.organizationId, currency: 'EUR' });
  expect(idsOf(await list('operator'))).toHaveLength(4);
  const operators = rowsOf(await list('operator', '--organization', one.organizationId));
  // The ids of operators that were created in the same millisecond have no order.
  expect(operators.toSorted((a, b) => a.email.localeCompare(b.email))).toMatchObject([
    {
      organizationId: one.organizationId,
      email: one.administrator.email,
      role: 'administrator',
      active: true,
    },
    { email: one.staff.email, role: 'staff' },
  ]);
  expect(JSON.stringify(operators)).not.toMatch(/password(Hash|":)|networks/);
});

test('lists subscriptions with their state, without the secret and the path of the URL', async () => {
  const { receivers } = testStore.store.everyOrganization;
  const disabled = await subscribe(one, one.clinicIds[1]);
  await receivers.addFailures(
    {
      subscriptionId: disabled,
      activation: 1,
      failures: 20,
      succeeded: false,
      lastCauses: ['tls', 'dns'],
      permits: [],
    },
    new Date(),
    { firstMs: 0, longestMs: 0 },
  );
  const all = await list('subscription');
  expect(idsOf(all).sort()).toEqual([north, south, foreign, disabled].sort());
  expect(all.stdout).not.toMatch(/TOKEN|whsec|secret/);
  const [found] = rowsOf(await list('subscription', '--organization', one.organizationId, '--disabled'));
  expect(found).toMatchObject({
    _id: disabled,
    organizationId: one.organizationId,
    receiver: 'https://example.com:8443',
    active: false,
    lastCauses: ['tls', 'dns'],
    disabledReason: expect.stringContaining('the TLS handshake failed; the host name could not be looked up'),
  });
  const inNorth = ['--organization', one.organizationId, '--clinic', one.clinicIds[0]];
  expect(idsOf(await list('subscription', ...inNorth))).toEqual([north]);
  const { stdout } = await startCli(environmentOf(testStore), ['subscription', 'list', '--disabled']).ended;
  expect(stdout).toContain('The last causes: the TLS handshake failed; the host name');
});

const deliveryIds = (...minutes: (readonly [number, string])[]) =>
  minutes.map(([minute, subscriptionId]) => `event-${minute}-${subscriptionId}`);

test('lists deliveries newest first, by organization, clinic, subscription, outcome and time', async () => {
  const ofOne = ['--organization', one.organizationId];
  expect(idsOf(await list('delivery', ...ofOne))).toEqual(
    deliveryIds([3, south], [2, north], [1, south], [0, north]),
  );
  expect(idsOf(await list('delivery', ...ofOne, '--clinic', one.clinicIds[0]))).toEqual(
    deliveryIds([2, north], [0, north]),
  );
  expect(idsOf(await list('delivery', '--subscription', south))).toEqual(deliveryIds([3, south], [1, south]));
  const failed = await list('delivery', ...ofOne, '--outcome', 'failed');
  expect(idsOf(failed)).toEqual(deliveryIds([2, north], [1, south], [0, north]));
  const range = ['--since', at(1).toISOString(), '--until', at(2).toISOString()];
  expect(idsOf(await list('delivery', ...ofOne, ...range))).toEqual(deliveryIds([2, north], [1, south]));
  expect(idsOf(await list('delivery', ...ofOne, '--limit', '1'))).toEqual(deliveryIds([3, south]));
  expect(rowsOf(failed)[0]).toMatchObject({
    cause: 'connect',
    code: 'ECONNREFUSED',
    reason: 'The receiver refused the connection.',
    address: '192.0.2.7',
  });
});

test('shows why a delivery failed, without the response of the receiver', async () => {
  const [id = ''] = deliveryIds([1, south]);
  const shown = await cli.run(['delivery', 'show', id]);
  expect(shown.json).toMatchObject({
    _id: id,
    organizationId: one.organizationId,
    cause: 'status',
    statusCode: 500,
    requestId: 'request-1',
    worker: 'worker-1',
    timings: { firstByte: 20 },
    subscription: { _id: south, active: true, receiver: 'https://example.com:8443' },
  });
  const read = startCli(environmentOf(testStore), ['delivery', 'show', id]);
  const { stdout } = await read.ended;
  expect(stdout).toMatch(/^reason: +The receiver responded with status 500\.$/m);
  expect(stdout).toMatch(/^duration: +20 ms \(firstByte 20\)$/m);
  const said = stdout + shown.stdout + (await list('delivery', '--subscription', south)).stdout;
  expect(said).not.toMatch(/Canary|responseBody|token|TOKEN/);
  // The response is stored, and sealed.
  const stored = await openedDocuments(testStore, 'deliveries', { status: 'failed' });
  expect(stored.filter(({ responseBody }) => responseBody === PRIVATE)).toHaveLength(2);
  expect(await collectionsWith(testStore, PRIVATE)).toEqual([]);
});

test('lists the deliveries of a deleted subscription if the organization is given', async () => {
  const gone = await subscribe(one, one.clinicIds[0]);
  await deliver(one, gone, [5], refused);
  await one.store.subscriptions.delete(gone);
  const refusedList = await list('delivery', '--subscription', gone);
  expect(refusedList.code).toBe(1);
  expect(messageOf(refusedList)).toContain('If it was deleted, give its --organization as well.');
  const options = ['--subscription', gone, '--organization', one.organizationId];
  expect(idsOf(await list('delivery', ...options))).toEqual(deliveryIds([5, gone]));
  const { json } = await cli.run(['delivery', 'show', `event-5-${gone}`]);
  expect(json.subscription).toBeNull();
});

test.each([
  [['clinic', 'list', '--organization', 'none'], 1, 'There is no organization none.'],
  [['operator', 'list', '--organization', 'none'], 1, 'There is no organization none.'],
  [['subscription', 'list', '--clinic', 'none'], 2, 'Give --organization with --clinic.'],
  [['subscription', 'list', '--organization', 'ONE', '--clinic', 'OTHER CLINIC'], 1, 'in this organization'],
  [['delivery', 'list'], 2, 'Give --organization or --subscription.'],
  [['delivery', 'list', '--subscription', 'none'], 1, 'There is no subscription none.'],
  [['delivery', 'list', '--organization', 'ONE', '--subscription', 'FOREIGN'], 1, 'in this organization'],
  [['delivery', 'show', 'none'], 1, 'There is no delivery none. List the deliveries with'],
  [['delivery', 'show', 'FOREIGN DELIVERY', '--organization', 'ONE'], 1, 'in this organization'],
] as const)('%j is refused with an explanation of what to do', async (args, code, message) => {
  const ids: Record<string, string> = {
    ONE: one.organizationId,
    FOREIGN: foreign,
    'OTHER CLINIC': other.clinicIds[0],
    'FOREIGN DELIVERY': `event-4-${foreign}`,
  };
  const ended = await cli.run(args.map((arg) => ids[arg] ?? arg));
  expect({ code: ended.code, stdout: ended.stdout }).toEqual({ code, stdout: '' });
  expect(messageOf(ended)).toContain(message);
});

test.each([
  ['--since', '2026-01-01'],
  ['--limit', '0'],
  ['--outcome', 'lost'],
])('%s %s is wrong usage', async (option, value) => {
  const { code, stderr } = await list('delivery', '--organization', one.organizationId, option, value);
  expect(code).toBe(2);
  expect(stderr).toContain(option);
});

test('reads a long list page by page in a stable order, and reports when it was cut', async () => {
  const long = await subscribe(other, other.clinicIds[1]);
  const documents = Array.from({ length: 1201 }, (_, index) => ({
    _id: `e-${String(index).padStart(4, '0')}`,
    organizationId: other.organizationId,
    clinicId: other.clinicIds[1],
    subscriptionId: long,
    eventId: 'e',
    event: 'patient.created',
    kind: 'event' as const,
  }));
  // All rows have the same time, so that a page begins in the middle of rows with the same time.
  await testStore.store.everyOrganization.deliveries.insert(documents, at(60));
  const ids = idsOf(await list('delivery', '--subscription', long, '--limit', '2000'));
  expect(ids).toEqual(documents.map(({ _id }) => _id).reverse());
  const cut = await startCli(environmentOf(testStore), ['delivery', 'list', '--subscription', long]).ended;
  expect(cut.stdout.trim().split('\n')).toHaveLength(50);
  expect(cut.stderr).toContain('There are more than 50.');
  const none = ['delivery', 'list', '--subscription', long, '--outcome', 'failed'];
  expect((await startCli(environmentOf(testStore), none).ended).stderr).toBe('Nothing matches.\n');
});

test('escapes names that would move the cursor of a terminal', async () => {
  await cli.run(['organization', 'create', 'Evil\u001b[2J\u202eeman\nsecond']);
  const { stdout } = await startCli(environmentOf(testStore), ['organization', 'list']).ended;
  expect(stdout).toContain('Evil\\u001b[2J\\u202eeman\\u000asecond');
  for (const control of ['\u001b', '\u202e']) expect(stdout).not.toContain(control);
});
