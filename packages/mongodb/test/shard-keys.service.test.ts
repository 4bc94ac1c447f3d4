import { deliveryId, isFinalOutcome, newEvent, newId } from '@chairside/domain';
import type { Document } from 'mongodb';
import { expect, onTestFinished, test } from 'vitest';
import { createPractice, openTestStore, shardKeys } from '../../test-support/src/index.ts';
import type { EveryProgramToken } from '../src/access/program-tokens.ts';
import type { Overview } from '../src/administration/overview.ts';
import { type Access, type AuditTrail, type SecurityAction, SYSTEM } from '../src/audit/audit.ts';
import type { Deliveries, NewDelivery, Outcome } from '../src/deliveries/deliveries.ts';
import type { Redeliveries } from '../src/deliveries/redeliveries.ts';
import type { EventLog } from '../src/events/event-log.ts';
import type { LaneRequests } from '../src/lanes/lane-requests.ts';
import type { LaneStore } from '../src/lanes/lane-store.ts';
import type { ClaimedMail, DueMail, MailQueue } from '../src/mails/mail-queue.ts';
import type { Backlog } from '../src/monitoring/backlog.ts';
import type { Outages } from '../src/monitoring/outages.ts';
import type { Notices } from '../src/notices/notices.ts';
import type { Outbox, OutboxRef } from '../src/records/outbox.ts';
import type { AbandonedDrafts } from '../src/schedule/abandoned-drafts.ts';
import type { DeliveryHours } from '../src/statistics/delivery-hours.ts';
import type { AttemptPermits } from '../src/subscriptions/attempt-permits.ts';
import type { Receivers } from '../src/subscriptions/receivers.ts';
import { mayReadAll } from './explain.ts';

test('every collection has a documented shard key, and every unique index begins with it', async () => {
  const { database, close } = await openTestStore();
  onTestFinished(close);
  const keys = shardKeys();
  const own = { type: 'collection', name: { $not: /^system\./ } };
  const collections = (await database.listCollections(own, { nameOnly: true }).toArray()).map(
    ({ name }) => name,
  );
  expect(collections.length).toBeGreaterThan(10);
  for (const name of collections) {
    const shardKey = Object.keys(keys.get(name) ?? {});
    expect({ name, isWrittenDown: keys.has(name) }).toEqual({ name, isWrittenDown: true });
    for (const index of await database.collection(name).indexes()) {
      if (index.unique !== true) continue;
      const fields = Object.keys(index.key).slice(0, shardKey.length);
      expect({ name, index: index.name, fields }).toEqual({ name, index: index.name, fields: shardKey });
    }
  }
  expect([...keys.values()].filter((key) => Object.keys(key).length > 0).length).toBeGreaterThan(5);
});

type Sent = { method: string; name: string; command: Document };
type Statement = { filter: Document; isSingle: boolean; hint?: Document };

/** The filters of a command, or the documents that it inserts. */
const statementsOf = ({ name, command }: Sent): Statement[] => {
  const many = (filter: Document) => ({ filter, isSingle: false, hint: command.hint });
  if (name === 'find') return [many(command.filter)];
  if (name === 'aggregate') return [many(command.pipeline[0].$match)];
  if (name === 'findAndModify') return [{ filter: command.query, isSingle: true }];
  if (name === 'insert') return command.documents.map((filter: Document) => ({ filter, isSingle: true }));
  if (name === 'update')
    return command.updates.map(({ q, multi, hint }: Document) => ({
      filter: q,
      isSingle: multi !== true,
      hint,
    }));
  if (name === 'delete')
    return command.deletes.map(({ q, limit, hint }: Document) => ({
      filter: q,
      isSingle: limit === 1,
      hint,
    }));
  return [];
};

/** Whether a condition has values with which `mongos` can select the shards. */
const hasValues = (condition: unknown): boolean =>
  typeof condition === 'object' && !(condition instanceof Date)
    ? condition !== null && '$in' in condition
    : condition !== undefined;

/**
 * Whether `mongos` can select the shards of a command. The first field of a shard key is enough for several documents.
 * For a write to a single document, MongoDB needs the whole key.
 */
const isTargeted = (sent: Sent, keys: ReturnType<typeof shardKeys>): boolean => {
  const key = Object.keys(keys.get(sent.command[sent.name]) ?? {});
  return statementsOf(sent).every(({ filter, isSingle }) =>
    (isSingle ? key : key.slice(0, 1)).every((field) => hasValues(filter[field])),
  );
};

/** The commands that query all shards, with the reasons. */
const ASK_ALL_SHARDS: Readonly<Record<string, string>> = {
  'outbox.overdue find': 'the sweep searches all organizations',
  'events.expire find': 'retention searches all organizations, and the deliveries of an event',
  'deliveries.queued find': 'a lane reads the backlog of a subscription',
  'deliveries.requested find': 'a lane reads the backlog of a subscription',
  'deliveries.lastSuccess find': 'the health of one subscription',
  'deliveries.skipQueued update': 'the backlog of one subscription, when it is disabled',
  'deliveries.requeueSkipped update': 'the backlog of one subscription, after an outage',
  'deliveries.interrupt update': 'the sweep searches all subscriptions',
  'overview.deliveries find': 'an operator lists deliveries of subscriptions',
  'redeliveries.advance find': 'a bulk redelivery reads the deliveries of one subscription',
  'redeliveries.advance aggregate': 'a bulk redelivery counts the deliveries of one subscription',
  'deliveryHours.closeNext find': 'the sweep counts an hour of all organizations',
  'deliveryHours.closeNext aggregate': 'the sweep counts the deliveries of one subscription',
  'deliveryHours.recompute aggregate': 'the sweep counts the deliveries of one subscription',
  'deliveryHours.recompute find': 'the sweep searches all subscriptions',
  'abandonedDrafts.remove find': 'the sweep searches all organizations',
  'notices.due find': 'the process that sends mails searches all organizations',
  'backlog.measure find': 'a gauge counts over all organizations',
  'backlog.measure aggregate': 'a gauge counts over all organizations',
};

/** A call of each method. A new method fails the type check until it is called here. */
type Calls<R> = { readonly [M in keyof R]: () => Promise<unknown> };

test('every command of the dispatcher and of the overview contains the shard key, or has a reason to query all shards', async () => {
  const commands: Sent[] = [];
  let method = '';
  const testStore = await openTestStore(undefined, (name, command) =>
    commands.push({ method, name, command }),
  );
  onTestFinished(testStore.close);
  const { everyOrganization } = testStore.store;
  const { organizationId, clinicIds, store, administrator } = await createPractice(testStore.store);
  const now = new Date();
  const later = new Date(now.getTime() + 60 * 86_400_000);

  const subscription = await store.subscriptions.create(
    { clinicId: clinicIds[0], url: 'https://example.com', events: [], active: true },
    now,
  );
  const subscriptionId = subscription?._id ?? '';
  const author = { principal: SYSTEM, requestId: 'test' };
  const refs: OutboxRef[] = [];
  for (const event of ['patient.created', 'patient.deleted'] as const) {
    const patient = {
      _id: newId(),
      clinicId: clinicIds[0],
      createdTime: now.toISOString(),
      lastEditTime: now.toISOString(),
    };
    await store.patients.create(patient, newEvent({ _id: newId(), event, time: now, author }, patient));
    refs.push({ organizationId, kind: 'patient', recordId: patient._id });
  }
  const events = await everyOrganization.outbox.read(refs);
  const made = events.map(
    ({ _id, event }): NewDelivery => ({
      _id: deliveryId(_id, 'subscription'),
      organizationId,
      clinicId: clinicIds[0],
      subscriptionId,
      eventId: _id,
      event,
      kind: 'event',
    }),
  );
  const claim = async () => everyOrganization.deliveries.claim(made, newId(), 'worker');
  const outcome: Outcome = { outcome: 'skipped', cause: 'event_gone' };
  const streak = {
    subscriptionId,
    activation: 1,
    failures: 1,
    succeeded: false,
    lastCauses: [],
    permits: [],
  };
  const access: Access = { ...author, action: 'read', kind: 'patient', ids: ['p'], result: 'ok' };
  const ref = { subscriptionId, organizationId };
  const laneRequest = { ...ref, _id: 'd', dueTime: now };
  const lane = { ...ref, _id: `${subscriptionId}:worker`, worker: 'worker', aliveUntil: now };

  const outbox: Calls<Outbox> = {
    read: () => everyOrganization.outbox.read(refs),
    readSmall: () => everyOrganization.outbox.readSmall(refs),
    takeOut: () => everyOrganization.outbox.takeOut(events),
    overdue: () => everyOrganization.outbox.overdue(now, 10, { records: ['r'], organizations: ['o'] }),
  };
  const eventLog: Calls<Omit<EventLog, 'expire' | 'open'>> = {
    enter: () => everyOrganization.events.enter(events),
    bodies: () => everyOrganization.events.bodies(events),
  };
  const deliveries: Calls<Deliveries> = {
    insert: () => everyOrganization.deliveries.insert(made, now),
    lanesOf: () => everyOrganization.deliveries.lanesOf(['d']),
    queued: () => everyOrganization.deliveries.queued(subscriptionId, 10),
    lastSuccess: () => everyOrganization.deliveries.lastSuccess(subscriptionId),
    requested: () => everyOrganization.deliveries.requested(subscriptionId, 10),
    // The second call claims only one of two deliveries, so it must read which one.
    claim: async () => {
      await everyOrganization.deliveries.claim(made.slice(0, 1), 'first', 'worker');
      expect(await claim()).toHaveLength(1);
    },
    release: async () =>
      everyOrganization.deliveries.release([{ ...(made[0] as NewDelivery), token: 'first' }]),
    finish: async () => {
      const ended = (await claim()).map((delivery) => ({ delivery, outcome }));
      expect(ended).toHaveLength(1);
      await everyOrganization.deliveries.finish(ended, now);
    },
    skipQueued: () => everyOrganization.deliveries.skipQueued(subscriptionId, 'subscription_disabled', now),
    requeueSkipped: () => everyOrganization.deliveries.requeueSkipped(subscriptionId, now),
    interrupt: () => everyOrganization.deliveries.interrupt(later, now),
  };
  const deliveryHours: Calls<DeliveryHours> = {
    closeNext: async () => {
      const ended = new Date(now.getTime() + 2 * 3_600_000);
      expect(await everyOrganization.deliveryHours.closeNext(ended, now)).toBe(true);
    },
    recompute: async () => {
      await testStore.database.collection('deliveries').updateMany({}, { $set: { reopened: [now] } });
      expect(await everyOrganization.deliveryHours.recompute(now, 10)).toBe(1);
    },
  };
  const redeliveries: Calls<Redeliveries> = {
    running: () => everyOrganization.redeliveries.running(10),
    advance: async () => {
      const outcomes = ['skipped', 'interrupted'] as const;
      const request = { since: new Date(0).toISOString(), outcomes: [...outcomes] };
      await store.deliveries.redeliverMany('redelivery', subscriptionId, request, later);
      const [running] = await everyOrganization.redeliveries.running(10);
      if (running === undefined) throw new Error('no redelivery runs');
      await everyOrganization.redeliveries.advance(running, now);
    },
  };
  let dueMail: DueMail | undefined;
  let claimedMail: ClaimedMail | undefined;
  const receivers: Calls<Receivers> = {
    inClinics: () => everyOrganization.receivers.inClinics([{ organizationId, clinicId: clinicIds[0] }]),
    find: () => everyOrganization.receivers.find([subscriptionId]),
    clearStreaks: () => everyOrganization.receivers.clearStreaks([subscriptionId]),
    addFailures: () =>
      everyOrganization.receivers.addFailures(streak, now, { firstMs: 1000, longestMs: 60_000 }),
    subtractFailures: () => everyOrganization.receivers.subtractFailures(streak),
  };
  const attemptPermits: Calls<AttemptPermits> = {
    take: () => everyOrganization.attemptPermits.take([{ subscriptionId, ignoresPause: false }], 'token'),
    giveBack: () => everyOrganization.attemptPermits.giveBack([{ subscriptionId, token: 'token' }]),
    endPauses: () => everyOrganization.attemptPermits.endPauses([subscriptionId]),
  };
  const lanes: Calls<LaneStore> = {
    keepOpen: () => everyOrganization.lanes.keepOpen('worker', [ref]),
    close: () => everyOrganization.lanes.close('worker', [subscriptionId]),
    handOver: () => everyOrganization.lanes.handOver('worker'),
    dead: () => everyOrganization.lanes.dead(new Date(), 10),
    remove: () => everyOrganization.lanes.remove([lane]),
    lease: () => everyOrganization.lanes.lease('sweep', 'worker', 1000),
    wasHeld: () => everyOrganization.lanes.wasHeld('sweep', 1000),
  };
  const mailQueue: Calls<MailQueue> = {
    due: async () => {
      const link = { path: '/invitation', secret: 's' } as const;
      const content = { to: 'a@example.com', values: { organizationName: 'x' }, link };
      await store.mails.create({ operatorId: newId(), kind: 'invitation', content, linkEnd: later }, now);
      [dueMail] = await everyOrganization.mailQueue.due();
      expect(dueMail).toBeDefined();
    },
    claim: async () => {
      claimedMail = dueMail && (await everyOrganization.mailQueue.claim(dueMail));
      expect(claimedMail).toBeDefined();
    },
    beginHandOver: async () => claimedMail && everyOrganization.mailQueue.beginHandOver(claimedMail),
    finish: async () =>
      claimedMail && everyOrganization.mailQueue.finish(claimedMail, { outcome: 'temporary' }, now),
    recover: () => everyOrganization.mailQueue.recover(1000),
    expire: () => everyOrganization.mailQueue.expire(),
  };
  const notices: Calls<Notices> = {
    due: async () => {
      const changes = [
        { field: 'url', value: 'example.com' },
        { field: 'newHost', value: true },
      ];
      const told: Access = { ...access, action: 'created', kind: 'webhookSubscription', changes };
      await everyOrganization.audit.add(organizationId, told);
      expect(await everyOrganization.notices.due([])).toContain(organizationId);
    },
    tell: async () => {
      const time = new Date(Date.now() - 60_000);
      const entries = testStore.database.collection('auditEntries');
      await entries.updateMany({ noticeAt: { $exists: true } }, { $set: { time } });
      expect(await everyOrganization.notices.tell(organizationId)).toEqual({ newReceiverHost: 1 });
    },
  };
  const laneRequests: Calls<LaneRequests> = {
    announce: () => everyOrganization.laneRequests.announce(ref, 'd'),
    request: () => everyOrganization.laneRequests.request(ref, 'd'),
    due: () => everyOrganization.laneRequests.due(new Date(), 10),
    remove: () => everyOrganization.laneRequests.remove([laneRequest]),
  };
  const audit: Calls<AuditTrail> = {
    add: () => everyOrganization.audit.add(organizationId, access),
    addUnique: () => everyOrganization.audit.addUnique(organizationId, 'unique', access),
    addOnce: () => everyOrganization.audit.addOnce(organizationId, 'key', access),
    begin: async () => {
      const action: SecurityAction = { ...author, action: 'created', kind: 'webhookSubscription', ids: [] };
      const complete = await everyOrganization.audit.begin(organizationId, action);
      await complete({ result: 'ok' });
    },
    countRefused: () =>
      everyOrganization.audit.countRefused({ organizationId, operatorId: 'o', network: 'n', requestId: 'r' }),
    addWrites: () => everyOrganization.audit.addWrites(events),
  };
  // This method is called last. One event still has a delivery; the other has none.
  const expiry: Calls<Pick<EventLog, 'expire'>> = {
    expire: async () => {
      await testStore.database.collection('deliveries').deleteMany({ eventId: events[0]?._id });
      expect(await everyOrganization.events.expire(later, 10)).toBe(1);
    },
  };
  const outages: Calls<Outages> = {
    declare: () => everyOrganization.outages.declare('worker'),
    withdraw: () => everyOrganization.outages.withdraw('worker'),
    current: () => everyOrganization.outages.current(),
  };
  const programTokens: Calls<Pick<EveryProgramToken, 'deleteExpired'>> = {
    deleteExpired: async () => {
      const operatorId = administrator._id;
      const session = await testStore.database.collection('sessions').findOne({ operatorId });
      const asked = { name: 'x', lifetimeDays: 1, access: 'webhooks' } as const;
      await store.programTokens.create(String(session?._id), asked, now);
      expect(await everyOrganization.programTokens.deleteExpired(later, 10)).toBe(1);
    },
  };
  const abandonedDrafts: Calls<AbandonedDrafts> = {
    remove: async () => {
      const draft = { organizationId, revision: 0, deletedAt: now, drafts: ['booking'], draftAt: now };
      const kept = { ...draft, revision: 1 };
      await testStore.database.collection<Document & { _id: string }>('appointments').insertMany([
        { _id: 'draft', ...draft },
        { _id: 'kept', ...kept },
      ]);
      expect(await everyOrganization.abandonedDrafts.remove(later, 10)).toBe(2);
    },
  };
  const backlog: Calls<Backlog> = { measure: () => everyOrganization.backlog.measure() };

  const { overview: listed } = everyOrganization.administration;
  const overview: Calls<Overview> = {
    organizations: () => Array.fromAsync(listed.organizations()),
    clinics: () => Array.fromAsync(listed.clinics({ organizationId })),
    operators: () => Array.fromAsync(listed.operators({ organizationId })),
    apiKeys: () => Array.fromAsync(listed.apiKeys({ organizationId })),
    programTokens: () => Array.fromAsync(listed.programTokens({ organizationId })),
    ownerOf: () => listed.ownerOf('apiKey', 'none'),
    subscriptions: () => Array.fromAsync(listed.subscriptions({ organizationId })),
    findSubscription: () => listed.findSubscription(subscriptionId),
    deliveries: async () => {
      const found = await Array.fromAsync(listed.deliveries(organizationId, [subscriptionId], {}));
      expect(found.length).toBeGreaterThan(0);
      const failed = listed.deliveries(organizationId, [subscriptionId], { outcome: 'failed' });
      expect(await Array.fromAsync(failed)).toEqual([]);
    },
    findDelivery: () => listed.findDelivery(made[1]?._id ?? ''),
  };

  const repositories = {
    events: eventLog,
    outbox,
    deliveries,
    deliveryHours,
    redeliveries,
    receivers,
    attemptPermits,
    lanes,
    mailQueue,
    notices,
    laneRequests,
    outages,
    audit,
    backlog,
    overview,
    programTokens,
    abandonedDrafts,
  };
  const calls = [...Object.entries(repositories), ['events', expiry] as const].flatMap(
    ([repository, methods]) =>
      Object.entries(methods).map(([name, call]) => [`${repository}.${name}`, call] as const),
  );
  for (const [name, call] of calls) {
    method = name;
    await call();
    expect(
      commands.some((each) => each.method === name),
      name,
    ).toBe(true);
  }

  // These reads return records whose events are sent, so a failover must not roll the records back.
  const reads = commands.filter((sent) => sent.method.startsWith('outbox.') && sent.name === 'find');
  expect(reads.length).toBeGreaterThan(2);
  for (const { command } of reads) expect(command.readConcern).toEqual({ level: 'majority' });

  // A statement about many ids must not use another index, however good its plan was for earlier ids.
  const unhinted = commands.filter((sent) =>
    statementsOf(sent).some(
      ({ filter, hint }) => filter._id?.$in !== undefined && JSON.stringify(hint) !== '{"_id":1}',
    ),
  );
  expect(unhinted.map((sent) => `${sent.method} ${sent.name}`)).toEqual([]);

  const unordered = commands.filter(({ command }) => mayReadAll(command));
  expect(unordered.map((sent) => `${sent.method} ${sent.name}`)).toEqual([]);

  // The index of the outcomes has only final deliveries, so a search for final ones must say that they are.
  const withoutIndex = commands.filter(
    (sent) =>
      sent.command[sent.name] === 'deliveries' &&
      statementsOf(sent).some(
        ({ filter: { _id, status, kind, bulkId, expireAt } }) =>
          [_id, bulkId, expireAt].every((each) => each === undefined) &&
          (kind === undefined || kind === 'event') &&
          status !== undefined &&
          [status.$in ?? status].flat().every(isFinalOutcome),
      ),
  );
  expect(withoutIndex.map((sent) => `${sent.method} ${sent.name}`)).toEqual([]);

  const keys = shardKeys();
  const called = new Set<string>(calls.map(([name]) => name));
  const untargeted = commands
    .filter((sent) => called.has(sent.method) && !isTargeted(sent, keys))
    .map((sent) => `${sent.method} ${sent.name}`);
  expect([...new Set(untargeted)].toSorted()).toEqual(Object.keys(ASK_ALL_SHARDS).toSorted());
});
