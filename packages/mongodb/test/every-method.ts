import {
  type AuditAction,
  type Event,
  newEvent,
  newId,
  type OpeningHours,
  type Patient,
} from '@chairside/domain';
import { SettingsError } from '@chairside/startup';
import {
  createKey,
  createPractice,
  openTestStore,
  type Practice,
  plantConnection,
  quickPasswords,
  type TestStore,
} from '../../test-support/src/index.ts';
import { withStoredBody } from '../src/events/event-document.ts';
import type { OrganizationStore } from '../src/index.ts';
import type { MailDocument } from '../src/mails/mail-document.ts';
import type { EveryOrganization, WholeStore } from '../src/stores/whole-store.ts';

/** The data that the methods work on. A store without faults creates it. */
export type Ground = TestStore & { practice: Practice };

/** Opens a database that contains a practice. */
export const openGround = async (): Promise<Ground> => {
  const testStore = await openTestStore(undefined, undefined, quickPasswords);
  return { ...testStore, practice: await createPractice(testStore.store) };
};

/**
 * Prepares the data of a method with a store without faults. The returned function calls the method with a given store.
 */
export type Method = (ground: Ground) => Promise<(store: WholeStore) => Promise<unknown>>;

const now = () => new Date();
const principal = { kind: 'system' as const, id: 'test' };
const newLane = () => ({ subscriptionId: newId(), organizationId: newId() });
const author = () => ({ principal, requestId: newId() });
const all = async (rows: AsyncIterable<unknown>): Promise<unknown[]> => Array.fromAsync(rows);

const patientOf = ({ practice }: Ground): { record: Patient; event: ReturnType<typeof newEvent> } => {
  const record = {
    _id: newId(),
    clinicId: practice.clinicIds[0],
    createdTime: now().toISOString(),
    lastEditTime: now().toISOString(),
  };
  const details = { _id: newId(), event: 'patient.created' as const, time: now(), author: author() };
  return { record, event: newEvent(details, record) };
};

const addPatient = async (ground: Ground) => {
  const { record, event } = patientOf(ground);
  await ground.practice.store.patients.create(record, event);
  const { organizationId } = ground.practice;
  const ref = { organizationId, kind: 'patient' as const, recordId: record._id };
  const published: Event = { ...event, organizationId, kind: 'patient', recordId: record._id };
  return { record, ref, event: published };
};

/** An appointment that occupies a time, and its event. */
const bookingOf = ({ practice }: Ground) => {
  const time = now();
  const record = {
    _id: newId(),
    clinicId: practice.clinicIds[0],
    startTime: time.toISOString(),
    endTime: new Date(time.getTime() + 60_000).toISOString(),
    status: 'SCHEDULED' as const,
    procedures: [],
    reminders: [],
    createdTime: time.toISOString(),
    lastEditTime: time.toISOString(),
  };
  const details = { _id: newId(), event: 'appointment.created' as const, time, author: author() };
  return { record, event: newEvent(details, record) };
};
const free = async () => 'free' as const;
const addAppointment = async (ground: Ground) => {
  const booking = bookingOf(ground);
  await ground.practice.store.appointments.create(booking.record, booking.event);
  return booking;
};

/** Creates a new clinic for each call, because a clinic can have only a few subscriptions. */
const addClinic = async ({ practice }: Ground): Promise<string> => {
  const _id = newId();
  const named = { name: 'East', currency: 'EUR', timezone: 'UTC', lastEditTime: now().toISOString() };
  await practice.store.clinics.create({ _id, ...named });
  return _id;
};
const toSubscribe = async (ground: Ground) => ({
  clinicId: await addClinic(ground),
  url: 'https://example.com',
  events: [],
  active: true,
});
const addSubscription = async (ground: Ground) => {
  const made = await ground.practice.store.subscriptions.create(await toSubscribe(ground), now());
  if (made === undefined) throw new Error('a new clinic has no room for a subscription');
  return made;
};

const delivery = (ground: Ground, more: { eventId?: string; subscriptionId?: string } = {}) => {
  const { eventId = newId(), subscriptionId = newId() } = more;
  return {
    _id: `${eventId}-${subscriptionId}`,
    organizationId: ground.practice.organizationId,
    clinicId: ground.practice.clinicIds[0],
    subscriptionId,
    eventId,
    event: 'patient.created',
    kind: 'event' as const,
  };
};
const queued = async (ground: Ground) => {
  const made = delivery(ground);
  await ground.store.everyOrganization.deliveries.insert([made], now());
  return made;
};
const claimed = async (ground: Ground) => {
  const made = await queued(ground);
  const [got] = await ground.store.everyOrganization.deliveries.claim([made], newId(), 'worker');
  if (got === undefined) throw new Error('a new delivery cannot be claimed');
  return got;
};
const failed = () => ({
  outcome: 'failed' as const,
  cause: 'timeout' as const,
  reason: 'silence',
  attemptTime: now(),
  duration: 1,
  timings: {},
});

const HOUR = 3_600_000;
let hoursUsed = 0;
/** Ends a delivery in an hour that no earlier call has used. Returns the end of this hour. */
const endedInNextHour = async (ground: Ground): Promise<Date> => {
  const ended = new Date(Math.ceil(Date.now() / HOUR) * HOUR + ++hoursUsed * HOUR);
  const { deliveries } = ground.store.everyOrganization;
  const group = [{ delivery: await claimed(ground), outcome: failed() }];
  await deliveries.finish(group, new Date(ended.getTime() - HOUR / 2));
  return ended;
};

const operatorNamed = () => ({
  email: `${newId()}@example.com`,
  password: 'long enough a password',
  role: 'staff' as const,
});
/** How many of the created operators stay. An organization may have 200, and each call needs its own only while it runs. */
const KEPT_OPERATORS = 100;
/** Deletes the oldest operators that calls have created, so that a free slot is found with as many statements each time. */
const makeRoom = async ({ database, practice }: Ground): Promise<void> => {
  const operators = database.collection<{ _id: string; organizationId: string }>('operators');
  const { organizationId, administrator, staff } = practice;
  const made = { organizationId, _id: { $nin: [administrator._id, staff._id] } };
  const old = await operators.find(made).sort({ _id: -1 }).skip(KEPT_OPERATORS).toArray();
  await operators.deleteMany({ _id: { $in: old.map(({ _id }) => _id) } });
};
const addOperator = async (ground: Ground) => {
  await makeRoom(ground);
  const { practice } = ground;
  const operator = operatorNamed();
  const made = await practice.store.operators.create(operator, now());
  if (typeof made === 'string') throw new Error(made);
  return { ...operator, ...made };
};
const CODE_SECRET = 'A'.repeat(32);
const passkeyKey = () => ({
  credentialId: newId(),
  publicKey: new Uint8Array(77),
  counter: 0,
  transports: undefined,
});
/** An operator with an app for codes, a passkey and recovery codes. */
const addFactors = async (ground: Ground) => {
  const operator = await addOperator(ground);
  const { organizationId, store } = ground.practice;
  const { _id: operatorId } = operator;
  await store.factors.beginCode(operatorId, CODE_SECRET, now());
  await store.factors.addCode(operatorId, CODE_SECRET, 1, ['one'], now());
  const key = passkeyKey();
  const added = await store.factors.addPasskey(operatorId, key, 'Phone', [], now());
  if (added === 'limitReached') throw new Error(added);
  const asked = { organizationId, operatorId, accessRevision: 0 };
  return { ...operator, asked, passkeyId: added.passkey._id, credentialId: key.credentialId };
};
const addInvited = async (ground: Ground) => {
  await makeRoom(ground);
  const made = await ground.practice.store.operators.invite(operatorNamed(), false, now());
  if (typeof made === 'string') throw new Error(made);
  return made;
};
const addSession = async (ground: Ground) => {
  const { email, password } = await addOperator(ground);
  const signedIn = await ground.store.everyOrganization.sessions.signIn(email, password, now());
  if (signedIn.outcome !== 'signed_in') throw new Error('a new operator cannot sign in');
  return { ...signedIn.session, organizationId: ground.practice.organizationId };
};
/** Signs a new administrator in. Returns the id of the session. */
const addAdministrator = async (ground: Ground): Promise<string> => {
  await makeRoom(ground);
  const { practice, store } = ground;
  const operator = { ...operatorNamed(), role: 'administrator' as const };
  await practice.store.operators.create(operator, now());
  const signedIn = await store.everyOrganization.sessions.signIn(operator.email, operator.password, now());
  if (signedIn.outcome !== 'signed_in') throw new Error('a new operator cannot sign in');
  return signedIn.session._id;
};
const programTokenNamed = { name: 'one', lifetimeDays: 1, access: 'webhooks' as const };
const addProgramToken = async (ground: Ground) => {
  const { programTokens } = ground.practice.store;
  const made = await programTokens.create(await addAdministrator(ground), programTokenNamed, now());
  if (typeof made === 'string') throw new Error(made);
  return made;
};
const addKey = ({ practice }: Ground) =>
  createKey(practice.store, { name: 'one', scopes: [], rateLimit: 100 }, now());
const addConnection = async ({ database, practice: { organizationId, staff } }: Ground) => ({
  _id: await plantConnection(database, { organizationId, operatorId: staff._id }),
});
/** Creates a patient, and returns its event as it is stored. */
const addStored = async (ground: Ground) => {
  const made = await addPatient(ground);
  const cipher = await ground.store.ciphers.of(ground.practice.organizationId);
  return { ...made, event: withStoredBody(made.event, cipher) };
};
/** Creates a patient whose event is in the log. */
const published = async (ground: Ground) => {
  const made = await addStored(ground);
  await ground.store.everyOrganization.events.enter([made.event]);
  return made;
};
const securityAction = () => ({
  kind: 'operator' as const,
  action: 'created' as AuditAction,
  ids: [newId()],
  ...author(),
});
const use = () => ({ principal: newId(), route: 'POST /api/patients', key: newId() });
const reserved = async ({ practice }: Ground) => {
  const used = use();
  const ids = { recordId: newId(), eventId: newId() };
  const reservation = await practice.store.idempotency.reserve(used, '{}', ids, now());
  if (!('lease' in reservation)) throw new Error(`the key is ${reservation.outcome}`);
  return { used, ids, lease: reservation.lease };
};
const newMail = () => ({
  operatorId: newId(),
  kind: 'invitation' as const,
  content: {
    to: 'somebody@example.com',
    values: { organizationName: 'East' },
    link: { path: '/invitation' as const, secret: 'secret' },
  },
  linkEnd: new Date(Date.now() + HOUR),
});
const addMail = async ({ practice, database }: Ground) => {
  const mail = newMail();
  await practice.store.mails.create(mail, now());
  const made = await database.collection<MailDocument>('mails').findOne({ operatorId: mail.operatorId });
  if (made === null) throw new Error('the mail is not stored');
  return made;
};
const claimedMail = async (ground: Ground) => {
  const claimed = await ground.store.everyOrganization.mailQueue.claim(await addMail(ground));
  if (claimed === undefined) throw new Error('a new mail cannot be claimed');
  return claimed;
};
/** An administrator has another role since a minute ago, and is to be told. */
const addFact = async (ground: Ground) => {
  const { _id } = await addOperator(ground);
  const time = new Date(Date.now() - 60_000);
  await ground.database
    .collection<{ _id: string }>('operators')
    .updateOne({ _id }, { $set: { 'untold.role': { since: time, time }, noticeAt: time } });
};
const AUTHOR = { by: 'test' };
const HELD = { author: AUTHOR, isTrial: false, onProgress: () => {} };
const run = ({ practice }: Ground) => ({
  ...AUTHOR,
  id: newId(),
  organizationId: practice.organizationId,
});

const providerOf = ({ clinicIds }: Practice) => ({
  _id: newId(),
  name: 'Dr. Albers',
  clinicIds: [clinicIds[0]],
});
const addProvider = async ({ practice }: Ground) => {
  const provider = providerOf(practice);
  if (!(await practice.store.providers.create(provider))) throw new Error('there are too many providers');
  return provider;
};

const hours: OpeningHours = {
  weekdays: { monday: [], tuesday: [], wednesday: [], thursday: [], friday: [], saturday: [], sunday: [] },
  exceptions: [],
  chairs: 1,
  slotMinutes: 15,
};

const anyClinicRange = () => ({ clinicId: newId(), from: new Date(0), to: now() });
const anyRange = () => ({
  since: new Date(Date.now() - 1000).toISOString(),
  until: now().toISOString(),
  outcomes: ['failed' as const],
});

/** Calls a method of one organization's repositories. */
const own =
  <P>(
    prepare: (ground: Ground) => Promise<P>,
    call: (store: OrganizationStore, prepared: P) => Promise<unknown>,
  ): Method =>
  async (ground) => {
    const prepared = await prepare(ground);
    return (store) => call(store.organization(ground.practice.organizationId), prepared);
  };
/** Calls a method of the repositories of all organizations. */
const every =
  <P>(
    prepare: (ground: Ground) => Promise<P>,
    call: (store: EveryOrganization, prepared: P) => Promise<unknown>,
  ): Method =>
  async (ground) => {
    const prepared = await prepare(ground);
    return (store) => call(store.everyOrganization, prepared);
  };
const nothing = async () => undefined;

/** All kinds of records share this code, so only patients are tested. */
const recordMethods = {
  'patients.find': own(addPatient, ({ patients }, { record }) => patients.find(record._id)),
  'patients.exists': own(addPatient, ({ patients }, { record }) => patients.exists(record._id)),
  'patients.findByExternalId': own(addPatient, ({ patients }) => patients.findByExternalId('pms:1')),
  'patients.idsOf': own(addPatient, ({ patients }) => patients.idsOf(['pms:1'])),
  'patients.idOf': own(addPatient, ({ patients }) => patients.idOf('pms:1')),
  'patients.list': own(addPatient, ({ patients }) => all(patients.list({ name: 'Test' }))),
  'patients.page': own(addPatient, ({ patients }) =>
    all(patients.page({ name: 'Test', updatedSince: new Date(0).toISOString() }, { limit: 2 }).rows),
  ),
  'patients.create': own(
    async (ground) => patientOf(ground),
    ({ patients }, { record, event }) => patients.create(record, event),
  ),
  'patients.edit': own(addPatient, ({ patients }, { record, event }) =>
    patients.edit(record._id, (current) => ({ record: current.record, event })),
  ),
};

/** Methods that the table does not contain. */
const notCalled: readonly RegExp[] = [
  /^(appointments|clinics|invoices|payments|treatments)\./,
  // These share the code of `providers`.
  /^(procedures|calendarBlocks)\./,
  // This method only creates the object that has the methods.
  /^administration\.importer$/,
  // These need a vault. restores.service.test.ts calls them.
  /^administration\.restores\.(none|seal|state)$/,
  // These methods send only `hello`, the driver's own handshake command.
  /^(everyEvents\.clock|events\.end)$/,
];

/** A call of each method of a store, by the name of the method in the store. `notCalled` has the exceptions. */
export const everyMethod: Readonly<Record<string, Method>> = {
  ...recordMethods,
  'subscriptions.list': own(nothing, ({ subscriptions }) => subscriptions.list()),
  'subscriptions.find': own(addSubscription, ({ subscriptions }, { _id }) => subscriptions.find(_id)),
  'subscriptions.hasHost': own(nothing, ({ subscriptions }) => subscriptions.hasHost('example.com')),
  'subscriptions.create': own(toSubscribe, ({ subscriptions }, sent) => subscriptions.create(sent, now())),
  'subscriptions.replace': own(addSubscription, ({ subscriptions }, { _id }) =>
    subscriptions.replace(_id, {}, now()),
  ),
  'subscriptions.update': own(addSubscription, ({ subscriptions }, { _id }) =>
    subscriptions.update(_id, { active: false }, now()),
  ),
  'subscriptions.delete': own(addSubscription, ({ subscriptions }, { _id }) => subscriptions.delete(_id)),
  'events.page': own(nothing, ({ events }) => all(events.page({ events: [], until: now() }, { limit: 10 }))),
  'events.examinedTo': own(nothing, ({ events }) => events.examinedTo({ events: [], until: now() }, {})),
  'events.expiredTo': own(nothing, ({ events }) => events.expiredTo()),
  'events.find': own(nothing, ({ events }) => events.find(newId())),
  'events.createTest': own(addSubscription, ({ events }, subscription) =>
    events.createTest(subscription, { kind: 'operator' }, now()),
  ),
  'events.has': own(nothing, ({ events }) => events.has(newId())),
  'deliveries.page': own(addSubscription, ({ deliveries }, { _id }) =>
    all(deliveries.page({ subscriptionId: _id }, {}, 10)),
  ),
  'deliveries.examinedTo': own(nothing, ({ deliveries }) =>
    deliveries.examinedTo({ outcome: 'failed' }, undefined),
  ),
  'deliveries.find': own(queued, ({ deliveries }, { _id }) => deliveries.find(_id)),
  'deliveries.redeliver': own(
    async (ground) => {
      const { event } = await published(ground);
      const subscription = await addSubscription(ground);
      return {
        ...delivery(ground, { eventId: event._id, subscriptionId: subscription._id }),
        again: newId(),
      };
    },
    ({ deliveries }, { again, ...given }) => {
      const source = { ...given, event: 'patient.created' as const, createdTime: new Date(0).toISOString() };
      return deliveries.redeliver(again, source, now());
    },
  ),
  'deliveries.test': own(addSubscription, ({ deliveries }, subscription) =>
    deliveries.test(subscription, { kind: 'operator' }, now()),
  ),
  'deliveries.redeliverMany': own(addSubscription, ({ deliveries }, { _id }) =>
    deliveries.redeliverMany(newId(), _id, anyRange(), now()),
  ),
  'deliveries.laterRedeliveries': own(queued, async ({ deliveries }, { _id }) => {
    const found = await deliveries.find(_id);
    return found && deliveries.laterRedeliveries(found);
  }),
  'deliveries.findRedelivery': own(nothing, ({ deliveries }) => deliveries.findRedelivery(newId(), newId())),
  'deliveries.stopRedelivery': own(
    async ({ practice, ...ground }) => {
      const { _id: subscriptionId } = await addSubscription({ practice, ...ground });
      const { deliveries } = practice.store;
      const _id = newId();
      await deliveries.redeliverMany(_id, subscriptionId, anyRange(), now());
      return { _id, subscriptionId };
    },
    ({ deliveries }, { _id, subscriptionId }) => deliveries.stopRedelivery(subscriptionId, _id, now()),
  ),
  'deliveries.redeliveries': own(nothing, ({ deliveries }) =>
    all(deliveries.redeliveries(newId(), undefined, 10)),
  ),
  'apiKeys.list': own(nothing, ({ apiKeys }) => apiKeys.list()),
  'apiKeys.find': own(addKey, ({ apiKeys }, { _id }) => apiKeys.find(_id)),
  'apiKeys.create': own(nothing, ({ apiKeys }) =>
    apiKeys.create({ name: 'one', scopes: [], rateLimit: 100 }, now()),
  ),
  'apiKeys.update': own(addKey, ({ apiKeys }, { _id }) => apiKeys.update(_id, { name: 'other' }, now())),
  'apiKeys.rotate': own(addKey, ({ apiKeys }, { _id }) => apiKeys.rotate(_id, now(), now())),
  'apiKeys.delete': own(addKey, ({ apiKeys }, { _id }) => apiKeys.delete(_id)),
  'apiKeys.reveal': own(addKey, ({ apiKeys }, { _id }) => apiKeys.reveal(_id)),
  'connections.page': own(addConnection, ({ connections }) => all(connections.page(now(), { limit: 10 }))),
  'connections.delete': own(addConnection, ({ connections }, { _id }) => connections.delete(_id, now())),
  'idempotency.reserve': own(
    async () => use(),
    ({ idempotency }, used) =>
      idempotency.reserve(used, '{}', { recordId: newId(), eventId: newId() }, now()),
  ),
  'idempotency.finish': own(reserved, ({ idempotency }, { used }) => idempotency.finish(used)),
  'idempotency.release': own(reserved, ({ idempotency }, { used, lease }) =>
    idempotency.release(used, lease),
  ),
  'idempotency.endLease': own(reserved, ({ idempotency }, { used, lease }) =>
    idempotency.endLease(used, lease, now()),
  ),
  'idempotency.renew': own(reserved, ({ idempotency }, { used, lease }) =>
    idempotency.renew(used, lease, now()),
  ),
  'idempotency.eventBodies': own(reserved, ({ idempotency }, { ids: { recordId, eventId } }) =>
    idempotency.eventBodies([{ kind: 'patient', eventId, recordIds: [recordId] }]),
  ),
  'idempotency.eventBody': own(reserved, ({ idempotency }, { ids }) => idempotency.eventBody('patient', ids)),
  'operators.list': own(nothing, ({ operators }) => operators.list()),
  'operators.find': own(addOperator, ({ operators }, { _id }) => operators.find(_id)),
  'operators.create': own(
    async (ground) => {
      await makeRoom(ground);
      return operatorNamed();
    },
    ({ operators }, operator) => operators.create(operator, now()),
  ),
  'operators.update': own(addOperator, ({ operators }, { _id }) =>
    operators.update(_id, { active: false }, now()),
  ),
  'operators.remove': own(addOperator, ({ operators }, { _id }) => operators.remove(_id)),
  'operators.sessions': own(addOperator, ({ operators }, { _id }) => operators.sessions(_id, now())),
  'operators.invite': own(makeRoom, ({ operators }) => operators.invite(operatorNamed(), true, now())),
  'operators.inviteAgain': own(addInvited, ({ operators }, { operator }) =>
    operators.inviteAgain(operator._id, true, now()),
  ),
  'factors.find': own(addFactors, ({ factors }, { _id }) => factors.find(_id)),
  'factors.credentialIds': own(addFactors, ({ factors }, { _id }) => factors.credentialIds(_id)),
  'factors.beginCode': own(addOperator, ({ factors }, { _id }) => factors.beginCode(_id, CODE_SECRET, now())),
  'factors.newCodeSecret': own(addOperator, ({ factors }, { _id }) => factors.newCodeSecret(_id, now())),
  'factors.addCode': own(
    async (ground) => {
      const operator = await addOperator(ground);
      await ground.practice.store.factors.beginCode(operator._id, CODE_SECRET, now());
      return operator;
    },
    ({ factors }, { _id }) => factors.addCode(_id, CODE_SECRET, 1, ['one'], now()),
  ),
  'factors.addPasskey': own(addOperator, ({ factors }, { _id }) =>
    factors.addPasskey(_id, passkeyKey(), 'Phone', ['one'], now()),
  ),
  'factors.renamePasskey': own(addFactors, ({ factors }, { _id, passkeyId }) =>
    factors.renamePasskey(_id, passkeyId, 'Key'),
  ),
  'factors.removeCode': own(addFactors, ({ factors }, { _id }) => factors.removeCode(_id, now())),
  'factors.removePasskey': own(addFactors, ({ factors }, { _id, passkeyId }) =>
    factors.removePasskey(_id, passkeyId, now()),
  ),
  'factors.replaceRecoveryCodes': own(addFactors, ({ factors }, { _id }) =>
    factors.replaceRecoveryCodes(_id, ['two'], now()),
  ),
  'factors.reset': own(addFactors, ({ factors }, { _id }) => factors.reset(_id, now())),
  // What is remembered is not read. A change ends the memory.
  'factorRequirement.get': own(nothing, async ({ factorRequirement }) => {
    await factorRequirement.set('administrators');
    await factorRequirement.get();
  }),
  'factorRequirement.set': own(nothing, ({ factorRequirement }) => factorRequirement.set('administrators')),
  'challenges.create': every(addFactors, ({ challenges }, { asked }) =>
    challenges.create('sign-in', asked, now()),
  ),
  'challenges.take': every(
    async (ground) => {
      const { asked } = await addFactors(ground);
      return ground.store.everyOrganization.challenges.create('sign-in', asked, now());
    },
    async ({ challenges }, challenge) => {
      const taken = await challenges.take(challenge, ['sign-in'], now());
      return taken?.putBack(true);
    },
  ),
  'factorChecks.tryCode': every(addFactors, ({ factorChecks }, { asked }) =>
    factorChecks.tryCode(asked, now()),
  ),
  'factorChecks.acceptCode': every(addFactors, ({ factorChecks }, { asked }) =>
    factorChecks.acceptCode(asked, 2, now()),
  ),
  'factorChecks.pauseCodes': every(addFactors, ({ factorChecks }, { asked }) =>
    factorChecks.pauseCodes(asked, now()),
  ),
  'factorChecks.useRecoveryCode': every(addFactors, ({ factorChecks }, { asked }) =>
    factorChecks.useRecoveryCode(asked, 'one'),
  ),
  'factorChecks.findPasskey': every(addFactors, ({ factorChecks }, { asked, credentialId }) =>
    factorChecks.findPasskey(asked.operatorId, credentialId, asked),
  ),
  'factorChecks.acceptPasskey': every(addFactors, ({ factorChecks }, { asked, credentialId }) =>
    factorChecks.acceptPasskey(asked, credentialId, 1, now()),
  ),
  organizationName: own(nothing, ({ organizationName }) => organizationName()),
  'operatorLinks.find': every(addInvited, ({ operatorLinks }, { secret }) =>
    operatorLinks.find('invitation', secret, now()),
  ),
  'operatorLinks.complete': every(addInvited, ({ operatorLinks }, { secret }) =>
    operatorLinks.complete('invitation', secret, { password: 'long enough a password' }, now()),
  ),
  'operatorLinks.requestReset': every(addOperator, ({ operatorLinks }, { email }) =>
    operatorLinks.requestReset(email, now()),
  ),
  'operators.endSessions': own(addOperator, ({ operators }, { _id }) => operators.endSessions(_id, now())),
  'operators.isKnown': own(addOperator, ({ operators }, { _id }) => operators.isKnown(_id, '192.0.2.1')),
  'operators.noticeSettings': own(addOperator, ({ operators }, { _id }) => operators.noticeSettings(_id)),
  'operators.changeNoticeSettings': own(addOperator, ({ operators }, { _id }) =>
    operators.changeNoticeSettings(_id, { appConnected: false }),
  ),
  'operators.confirmPassword': own(addOperator, ({ operators }, { _id, password }) =>
    operators.confirmPassword(_id, password),
  ),
  'operators.changePassword': own(
    async (ground) => {
      const { _id, password, email } = await addOperator(ground);
      const signedIn = await ground.store.everyOrganization.sessions.signIn(email, password, now());
      const right = await ground.practice.store.operators.confirmPassword(_id, password);
      if (signedIn.outcome !== 'signed_in' || right === undefined) throw new Error('cannot sign in');
      return { _id, confirmation: right.confirmation, session: signedIn.session };
    },
    ({ operators }, { _id, confirmation, session }) =>
      operators.changePassword(_id, confirmation, 'another long password', session._id, now()),
  ),
  'programTokens.list': own(addProgramToken, ({ programTokens }) => programTokens.list(now())),
  'programTokens.create': own(addAdministrator, ({ programTokens }, sessionId) =>
    programTokens.create(sessionId, programTokenNamed, now()),
  ),
  'programTokens.find': own(addProgramToken, ({ programTokens }, { _id }) => programTokens.find(_id, now())),
  'programTokens.end': own(addProgramToken, ({ programTokens }, { _id }) => programTokens.end(_id, now())),
  'programTokens.endOf': own(addProgramToken, ({ programTokens }, { operatorId }) =>
    programTokens.endOf(operatorId),
  ),
  'audit.add': own(nothing, ({ audit }) =>
    audit.add({ action: 'read', kind: 'patient', ids: [newId()], result: 'ok', ...author() }),
  ),
  'audit.addOnce': own(nothing, ({ audit }) =>
    audit.addOnce('key', { action: 'listed', kind: 'auditEntry', ids: [], result: 'ok', ...author() }),
  ),
  'audit.begin': own(nothing, async ({ audit }) => (await audit.begin(securityAction()))({ result: 'ok' })),
  'audit.eventIds': own(nothing, ({ audit }) => audit.eventIds(newId(), 10)),
  'audit.examinedTo': own(nothing, ({ audit }) => audit.examinedTo({ action: ['read'] }, undefined)),
  'audit.page': own(nothing, ({ audit }) => all(audit.page({}, {}, 10))),

  'providers.find': own(nothing, ({ providers }) => providers.find(newId())),
  'providers.list': own(nothing, ({ providers }) => all(providers.list({}))),
  'providers.page': own(nothing, ({ providers }) => all(providers.page({}, { limit: 2 }).rows)),
  'providers.create': own(
    async ({ practice }) => providerOf(practice),
    ({ providers }, provider) => providers.create(provider),
  ),
  'providers.edit': own(addProvider, ({ providers }, { _id }) =>
    providers.edit(_id, (current) => ({ ...current, name: 'Dr. Bo' })),
  ),
  'providers.delete': own(addProvider, ({ providers }, { _id }) => providers.delete(_id)),
  'bookings.create': own(
    async (ground) => bookingOf(ground),
    ({ bookings }, booking) => bookings.create(booking, free),
  ),
  'bookings.edit': own(addAppointment, ({ bookings }, booking) =>
    bookings.edit(booking.record._id, async () => booking, free),
  ),
  'openingHours.find': own(nothing, ({ openingHours }) => openingHours.find(newId())),
  'openingHours.set': own(
    async ({ practice }) => practice.clinicIds[0],
    ({ openingHours }, clinicId) => openingHours.set(clinicId, hours),
  ),
  'schedule.clinics': own(nothing, ({ schedule }) => schedule.clinics()),
  'schedule.findClinic': own(nothing, ({ schedule }) => schedule.findClinic(newId())),
  'schedule.providers': own(nothing, ({ schedule }) => schedule.providers()),
  'schedule.findProvider': own(nothing, ({ schedule }) => schedule.findProvider(newId())),
  'schedule.procedures': own(nothing, ({ schedule }) => schedule.procedures()),
  'schedule.findProcedure': own(nothing, ({ schedule }) => schedule.findProcedure(newId())),
  'schedule.openingHours': own(nothing, ({ schedule }) => schedule.openingHours(newId())),
  'schedule.calendarBlocks': own(nothing, ({ schedule }) => schedule.calendarBlocks(anyClinicRange())),
  'schedule.occupied': own(nothing, ({ schedule }) => schedule.occupied(anyClinicRange(), () => 'read')),
  'schedule.appointmentStarts': own(nothing, ({ schedule }) =>
    all(schedule.appointmentStarts(anyClinicRange())),
  ),

  'organizations.create': every(nothing, ({ organizations }) =>
    organizations.create({ _id: newId(), name: 'another' }),
  ),
  findApiKey: every(addKey, ({ findApiKey }, { secret }) => findApiKey(secret, now())),
  'sessions.signIn': every(addOperator, ({ sessions }, { email, password }) =>
    sessions.signIn(email, password, now()),
  ),
  'sessions.begin': every(addFactors, ({ sessions }, { asked }) =>
    sessions.begin(asked, now(), { network: '192.0.2.1', site: '192.0.2.1' }),
  ),
  'sessions.isKnown': every(addOperator, ({ sessions }, { email }) => sessions.isKnown(email, '192.0.2.1')),
  'sessions.findOperator': every(addSession, ({ sessions }, { token }) =>
    sessions.findOperator(token, now()),
  ),
  'sessions.find': every(addSession, async ({ sessions }, { token }) => {
    const principal = await sessions.findOperator(token, now());
    return principal && sessions.find(principal);
  }),
  'sessions.page': every(addSession, async ({ sessions }, { token }) => {
    const principal = await sessions.findOperator(token, now());
    return principal && all(sessions.page(principal, now(), { limit: 10 }));
  }),
  'sessions.endOwn': every(addSession, async ({ sessions }, { _id, token }) => {
    const principal = await sessions.findOperator(token, now());
    return principal && sessions.endOwn(principal, _id);
  }),
  'sessions.confirm': every(addSession, ({ sessions }, { _id, organizationId }) =>
    sessions.confirm(_id, organizationId, now(), true),
  ),
  'sessions.end': every(addSession, ({ sessions }, { _id, organizationId }) =>
    sessions.end(_id, organizationId),
  ),
  'everyProgramTokens.find': every(addProgramToken, ({ programTokens }, { token }) =>
    programTokens.find(token, now(), '192.0.2.1'),
  ),
  'everyProgramTokens.addNetwork': every(
    async (ground) => ({
      id: (await addProgramToken(ground))._id,
      organizationId: ground.practice.organizationId,
    }),
    ({ programTokens }, token) => {
      const address = '192.0.2.1';
      return programTokens.addNetwork(token, { network: address, address, requestId: newId() });
    },
  ),
  'everyProgramTokens.deleteExpired': every(nothing, ({ programTokens }) =>
    programTokens.deleteExpired(now(), 10),
  ),
  'outbox.read': every(addPatient, ({ outbox }, { ref }) => outbox.read([ref])),
  'outbox.readSmall': every(addPatient, ({ outbox }, { ref }) => outbox.readSmall([ref])),
  'outbox.takeOut': every(addPatient, ({ outbox }, { event }) => outbox.takeOut([event])),
  'abandonedDrafts.remove': every(
    async ({ practice, database }: Ground) =>
      database.collection<{ _id: string }>('appointments').insertOne({
        ...{ _id: newId(), organizationId: practice.organizationId, revision: 0 },
        ...{ deletedAt: new Date(1), drafts: ['d'], draftAt: new Date(1) },
      } as { _id: string }),
    ({ abandonedDrafts }) => abandonedDrafts.remove(now(), 10),
  ),
  'outbox.overdue': every(nothing, ({ outbox }) => outbox.overdue(now(), 10)),
  'everyAudit.add': every(nothing, ({ audit }) =>
    audit.add(newId(), { action: 'read', kind: 'patient', ids: [newId()], result: 'ok', ...author() }),
  ),
  'everyAudit.addUnique': every(nothing, ({ audit }) =>
    audit.addUnique(newId(), newId(), {
      action: 'deleted',
      kind: 'connection',
      ids: [],
      result: 'ok',
      ...author(),
    }),
  ),
  'everyAudit.addOnce': every(nothing, ({ audit }) =>
    audit.addOnce(newId(), 'key', {
      action: 'listed',
      kind: 'auditEntry',
      ids: [],
      result: 'ok',
      ...author(),
    }),
  ),
  'everyAudit.begin': every(nothing, async ({ audit }) =>
    (await audit.begin(newId(), securityAction()))({ result: 'ok' }),
  ),
  'everyAudit.countRefused': every(nothing, ({ audit }) =>
    audit.countRefused({
      organizationId: newId(),
      operatorId: newId(),
      network: '192.0.2.1',
      requestId: newId(),
    }),
  ),
  'everyAudit.addWrites': every(addPatient, ({ audit }, { event }) => audit.addWrites([event])),
  'everyEvents.enter': every(addStored, ({ events }, { event }) => events.enter([event])),
  'everyEvents.open': every(published, async ({ events }, { event }) => {
    const body = (await events.bodies([event])).get(event._id);
    if (body !== undefined) await events.open({ ...event, body });
  }),
  'everyEvents.bodies': every(published, ({ events }, { event }) => events.bodies([event])),
  'everyEvents.expire': every(nothing, ({ events }) => events.expire(new Date(0), 10)),
  'everyDeliveries.insert': every(
    async (ground) => delivery(ground),
    ({ deliveries }, made) => deliveries.insert([made], now()),
  ),
  'everyDeliveries.lanesOf': every(queued, ({ deliveries }, { _id }) => deliveries.lanesOf([_id])),
  'everyDeliveries.queued': every(queued, ({ deliveries }, { subscriptionId }) =>
    deliveries.queued(subscriptionId, 10),
  ),
  'everyDeliveries.lastSuccess': every(queued, ({ deliveries }, { subscriptionId }) =>
    deliveries.lastSuccess(subscriptionId),
  ),
  'everyDeliveries.requested': every(queued, ({ deliveries }, { subscriptionId }) =>
    deliveries.requested(subscriptionId, 10),
  ),
  'everyDeliveries.claim': every(queued, ({ deliveries }, made) =>
    deliveries.claim([made], newId(), 'worker'),
  ),
  'everyDeliveries.finish': every(claimed, ({ deliveries }, got) =>
    deliveries.finish([{ delivery: got, outcome: failed() }], now()),
  ),
  'everyDeliveries.release': every(claimed, ({ deliveries }, got) => deliveries.release([got])),
  'everyDeliveries.skipQueued': every(queued, ({ deliveries }, { subscriptionId }) =>
    deliveries.skipQueued(subscriptionId, 'subscription_disabled', now()),
  ),
  'everyDeliveries.requeueSkipped': every(queued, ({ deliveries }, { subscriptionId }) =>
    deliveries.requeueSkipped(subscriptionId, new Date(0)),
  ),
  'everyDeliveries.interrupt': every(nothing, ({ deliveries }) => deliveries.interrupt(new Date(0), now())),
  'redeliveries.running': every(nothing, ({ redeliveries }) => redeliveries.running(10)),
  'redeliveries.advance': every(
    async (ground) => {
      const { _id } = await addSubscription(ground);
      const id = newId();
      await ground.practice.store.deliveries.redeliverMany(id, _id, anyRange(), now());
      const running = await ground.store.everyOrganization.redeliveries.running(1000);
      const found = running.find((each) => each._id === id);
      if (found === undefined) throw new Error('a new redelivery does not run');
      return found;
    },
    ({ redeliveries }, found) => redeliveries.advance(found, now()),
  ),
  'receivers.inClinics': every(addSubscription, ({ receivers }, { clinicId }) =>
    receivers.inClinics([{ organizationId: newId(), clinicId }]),
  ),
  'receivers.find': every(addSubscription, ({ receivers }, { _id }) => receivers.find([_id])),
  'receivers.clearStreaks': every(addSubscription, ({ receivers }, { _id }) => receivers.clearStreaks([_id])),
  'receivers.addFailures': every(addSubscription, ({ receivers }, { _id }) =>
    receivers.addFailures(
      {
        subscriptionId: _id,
        activation: 1,
        failures: 1,
        succeeded: false,
        lastCauses: ['timeout'],
        permits: [],
      },
      now(),
      { firstMs: 1000, longestMs: 60_000 },
    ),
  ),
  'receivers.subtractFailures': every(addSubscription, ({ receivers }, { _id }) =>
    receivers.subtractFailures({ subscriptionId: _id, activation: 1, failures: 1 }),
  ),
  'attemptPermits.take': every(addSubscription, ({ attemptPermits }, { _id }) =>
    attemptPermits.take([{ subscriptionId: _id, ignoresPause: false }], newId()),
  ),
  'attemptPermits.giveBack': every(addSubscription, ({ attemptPermits }, { _id }) =>
    attemptPermits.giveBack([{ subscriptionId: _id, token: newId() }]),
  ),
  'attemptPermits.endPauses': every(addSubscription, ({ attemptPermits }, { _id }) =>
    attemptPermits.endPauses([_id]),
  ),
  liveDispatchers: every(nothing, ({ liveDispatchers }) => liveDispatchers()),
  'lanes.keepOpen': every(nothing, ({ lanes }) => lanes.keepOpen('worker', [newLane()])),
  'lanes.close': every(nothing, ({ lanes }) => lanes.close('worker', [newId()])),
  'lanes.handOver': every(nothing, ({ lanes }) => lanes.handOver('worker')),
  'laneRequests.announce': every(nothing, ({ laneRequests }) => laneRequests.announce(newLane(), newId())),
  'laneRequests.request': every(nothing, ({ laneRequests }) => laneRequests.request(newLane(), newId())),
  'laneRequests.due': every(nothing, ({ laneRequests }) => laneRequests.due(now(), 10)),
  'laneRequests.remove': every(nothing, ({ laneRequests }) =>
    laneRequests.remove([{ ...newLane(), _id: newId(), dueTime: now() }]),
  ),
  'lanes.dead': every(nothing, ({ lanes }) => lanes.dead(now(), 10)),
  'lanes.remove': every(nothing, ({ lanes }) =>
    lanes.remove([{ ...newLane(), _id: newId(), worker: 'worker', aliveUntil: now() }]),
  ),
  'lanes.wasHeld': every(nothing, ({ lanes }) => lanes.wasHeld(newId(), 1000)),
  'lanes.lease': every(nothing, ({ lanes }) => lanes.lease(newId(), 'worker', 1000)),
  'administration.checkDatabase': every(nothing, ({ administration }) => administration.checkDatabase()),
  'administration.organizationExists': every(nothing, ({ administration }) =>
    administration.organizationExists(newId()),
  ),
  'administration.deleteOrganization': every(
    async (ground) => ({ clinicId: await addClinic(ground), ...run(ground) }),
    ({ administration }, { organizationId }) =>
      administration.deleteOrganization(organizationId, {
        isTrial: true,
        author: AUTHOR,
        onProgress: () => {},
      }),
  ),
  'administration.deletions': every(nothing, ({ administration }) => administration.deletions()),
  'administration.updateClinic': every(
    async (ground) => ({ clinicId: await addClinic(ground), ...run(ground) }),
    ({ administration }, { clinicId, organizationId }) =>
      administration.updateClinic(organizationId, clinicId, { name: 'West' }, now()),
  ),
  'administration.operatorAccess.create': every(
    async (ground) => {
      await makeRoom(ground);
      return run(ground);
    },
    ({ administration }, given) => administration.operatorAccess.create(given, operatorNamed(), now()),
  ),
  'administration.operatorAccess.invite': every(
    async (ground) => {
      await makeRoom(ground);
      return run(ground);
    },
    ({ administration }, given) => administration.operatorAccess.invite(given, operatorNamed(), true, now()),
  ),
  'administration.operatorAccess.resetPassword': every(addOperator, ({ administration }, { email }) =>
    administration.operatorAccess.resetPassword(AUTHOR, email, 'another long password', false, now()),
  ),
  'administration.operatorAccess.disable': every(addOperator, ({ administration }, { email }) =>
    administration.operatorAccess.disable(AUTHOR, email, now()),
  ),
  'administration.operatorAccess.resetFactors': every(addFactors, ({ administration }, { email }) =>
    administration.operatorAccess.resetFactors(AUTHOR, email, now()),
  ),
  'administration.operatorAccess.enable': every(addOperator, ({ administration }, { email }) =>
    administration.operatorAccess.enable(AUTHOR, email, now()),
  ),
  'administration.overview.organizations': every(nothing, ({ administration }) =>
    all(administration.overview.organizations()),
  ),
  'administration.overview.clinics': every(
    async (ground) => run(ground),
    ({ administration }, { organizationId }) => all(administration.overview.clinics({ organizationId })),
  ),
  'administration.overview.operators': every(
    async (ground) => run(ground),
    ({ administration }, { organizationId }) => all(administration.overview.operators({ organizationId })),
  ),
  'administration.overview.apiKeys': every(
    async (ground) => run(ground),
    ({ administration }, { organizationId }) => all(administration.overview.apiKeys({ organizationId })),
  ),
  'administration.overview.programTokens': every(
    async (ground) => run(ground),
    ({ administration }, { organizationId }) =>
      all(administration.overview.programTokens({ organizationId })),
  ),
  'administration.overview.ownerOf': every(addOperator, ({ administration }, { email }) =>
    administration.overview.ownerOf('operator', email),
  ),
  'administration.stops.add': every(nothing, ({ administration }) =>
    administration.stops.add({ host: `${newId()}.example.com`, by: 'test' }),
  ),
  'administration.stops.remove': every(nothing, ({ administration }) =>
    administration.stops.remove({ host: 'none.example.com' }),
  ),
  'administration.stops.list': every(nothing, ({ administration }) => administration.stops.list()),
  'administration.beginAction': every(
    async (ground) => run(ground),
    ({ administration }, given) =>
      administration.beginAction(given, { action: 'suspended', kind: 'organization', ids: ['none'] }),
  ),
  'administration.overview.subscriptions': every(
    async (ground) => run(ground),
    ({ administration }, { organizationId }) =>
      all(administration.overview.subscriptions({ organizationId })),
  ),
  'administration.overview.findSubscription': every(addSubscription, ({ administration }, { _id }) =>
    administration.overview.findSubscription(_id),
  ),
  'administration.overview.deliveries': every(queued, ({ administration }, { organizationId, ...made }) =>
    all(administration.overview.deliveries(organizationId, [made.subscriptionId], {})),
  ),
  'administration.overview.findDelivery': every(queued, ({ administration }, { _id }) =>
    administration.overview.findDelivery(_id),
  ),
  'administration.importer.write': every(
    async (ground) => ({ ...run(ground), clinicId: ground.practice.clinicIds[0] }),
    async ({ administration }, { clinicId, ...given }) => {
      const importer = administration.importer(given);
      const line = { externalId: newId(), fields: { clinicId, firstName: 'Ada' } };
      const result = await importer.write('patient', [{ number: 1, line }], 'changes');
      // A failure of the database must not be reported as a refused line.
      if (result.refused.length > 0) throw new Error(`refused: ${JSON.stringify(result.refused)}`);
    },
  ),
  'administration.importer.writeSettings': every(
    async (ground) => ({ ...run(ground), clinicId: ground.practice.clinicIds[0] }),
    async ({ administration }, { clinicId, ...given }) => {
      const importer = administration.importer(given);
      const line = { externalId: newId(), fields: { name: 'Ada', clinicIds: [clinicId] } };
      const deleted = { externalId: newId(), deleted: true as const };
      const result = await importer.writeSettings('provider', [
        { number: 1, line },
        { number: 2, line: deleted },
      ]);
      if (result.refused.length > 0) throw new Error(`refused: ${JSON.stringify(result.refused)}`);
    },
  ),
  'administration.importer.preview': every(
    async (ground) => ({ ...run(ground), clinicId: ground.practice.clinicIds[0] }),
    async ({ administration }, { clinicId, ...given }) => {
      const importer = administration.importer(given);
      const line = { externalId: newId(), fields: { clinicId, firstName: 'Ada' } };
      const { refused } = await importer.preview('patient', [{ number: 1, line }]);
      if (refused.length > 0) throw new Error(`refused: ${JSON.stringify(refused)}`);
    },
  ),
  'administration.importer.previewSettings': every(
    async (ground) => ({ ...run(ground), clinicId: ground.practice.clinicIds[0] }),
    async ({ administration }, { clinicId, ...given }) => {
      const importer = administration.importer(given);
      const line = { externalId: newId(), fields: { name: 'Ada', clinicIds: [clinicId] } };
      const deleted = { externalId: newId(), deleted: true as const };
      const { refused } = await importer.preview('provider', [
        { number: 1, line },
        { number: 2, line: deleted },
      ]);
      if (refused.length > 0) throw new Error(`refused: ${JSON.stringify(refused)}`);
    },
  ),
  'administration.export': every(
    async (ground) => run(ground),
    ({ administration }, given) => all(administration.export(given, 'patient')),
  ),
  'administration.erasePatient': every(
    async (ground) => ({ ...run(ground), patientId: (await addPatient(ground)).record._id }),
    ({ administration }, { patientId, ...given }) =>
      administration.erasePatient(given, patientId, { keepBilling: false, isTrial: false, settleMs: 0 }),
  ),
  'administration.applyIndexes': every(nothing, ({ administration }) => administration.applyIndexes()),
  'administration.rotateEncryption': every(nothing, ({ administration }) =>
    administration.rotateEncryption(() => {}),
  ),
  'administration.countSealed': every(
    async (ground) => run(ground),
    ({ administration }, { organizationId }) => administration.countSealed(organizationId),
  ),
  'administration.checkSealed': every(nothing, ({ administration }) => administration.checkSealed(() => {})),
  'administration.rotateDataKey': every(
    async (ground) => run(ground),
    ({ administration }, { organizationId }) => administration.rotateDataKey(organizationId, () => {}),
  ),
  'administration.switchPatientSearch': every(
    async (ground) => run(ground),
    ({ administration }, { organizationId }) =>
      administration.switchPatientSearch(organizationId, 'on', {
        onWait() {},
        onProgress() {},
        settleMs: 0,
      }),
  ),
  'administration.patientSearchState': every(
    async (ground) => run(ground),
    ({ administration }, { organizationId }) => administration.patientSearchState(organizationId),
  ),
  // Without a vault, the keys stay where they are.
  'administration.moveKeys': every(nothing, ({ administration }) =>
    administration.moveKeys().catch((error: unknown) => {
      if (!(error instanceof SettingsError)) throw error;
    }),
  ),
  'administration.inspect': every(nothing, ({ administration }) =>
    Promise.all(Object.values(administration.inspect()).map((inspect) => inspect())),
  ),
  'serviceStatus.read': own(addSubscription, ({ serviceStatus }) => serviceStatus.read()),
  'statistics.page': own(nothing, ({ statistics }) =>
    all(statistics.page({ since: new Date(0), until: now() }, undefined, 10)),
  ),
  'deliveryHours.closeNext': every(endedInNextHour, ({ deliveryHours }, ended) =>
    deliveryHours.closeNext(ended, now()),
  ),
  'deliveryHours.recompute': every(
    async (ground) => {
      const { _id } = await queued(ground);
      const reopened = [new Date(Date.now() - 3 * HOUR)];
      await ground.database.collection('deliveries').updateOne({ _id }, { $set: { reopened } });
      const { deliveryHours } = ground.store.everyOrganization;
      while (await deliveryHours.closeNext(now(), now()));
    },
    ({ deliveryHours }) => deliveryHours.recompute(now(), 10),
  ),
  'mails.create': own(nothing, ({ mails }) => mails.create(newMail(), now())),
  'mails.withdraw': own(nothing, ({ mails }) => mails.withdraw(newId(), ['invitation'], now())),
  'mails.states': own(nothing, ({ mails }) => mails.states([newId()])),
  'mails.notices': own(nothing, ({ mails }) => all(mails.notices(undefined, 10))),
  'notices.due': every(nothing, ({ notices }) => notices.due([])),
  'notices.tell': async (ground) => {
    await addFact(ground);
    return (store) => store.everyOrganization.notices.tell(ground.practice.organizationId);
  },
  'mailQueue.due': every(nothing, ({ mailQueue }) => mailQueue.due()),
  'mailQueue.claim': every(addMail, ({ mailQueue }, mail) => mailQueue.claim(mail)),
  'mailQueue.beginHandOver': every(claimedMail, ({ mailQueue }, mail) => mailQueue.beginHandOver(mail)),
  'mailQueue.finish': every(claimedMail, ({ mailQueue }, mail) =>
    mailQueue.finish(mail, { outcome: 'sent' }, now()),
  ),
  'mailQueue.recover': every(claimedMail, ({ mailQueue }) => mailQueue.recover(-60_000)),
  'mailQueue.expire': every(nothing, ({ mailQueue }) => mailQueue.expire()),
  sendsMail: every(nothing, ({ sendsMail }) => sendsMail()),
  'stops.read': every(nothing, ({ stops }) => stops.read()),
  'administration.heldDeliveries.release': every(queued, ({ administration }, { organizationId }) =>
    administration.heldDeliveries.release({ organizationId }, HELD),
  ),
  'administration.heldDeliveries.discard': every(queued, ({ administration }, { organizationId }) =>
    administration.heldDeliveries.discard({ organizationId }, HELD),
  ),
  'administration.usages': every(nothing, ({ administration }) => administration.usages()),
  'administration.mostWaiting': every(queued, ({ administration }) => administration.mostWaiting(10)),
  'administration.restores.settle': every(nothing, ({ administration }) => administration.restores.settle()),
  'restoreWatch.state': every(nothing, ({ restoreWatch }) => restoreWatch.state()),
  'restoreWatch.step': every(nothing, ({ restoreWatch }) => restoreWatch.step()),
  'outages.declare': every(nothing, ({ outages }) => outages.declare(newId())),
  'outages.withdraw': every(nothing, ({ outages }) => outages.withdraw(newId())),
  'outages.current': every(nothing, ({ outages }) => outages.current()),
  'backlog.measure': every(nothing, ({ backlog }) => backlog.measure()),
};

/** The names of the methods of a store, without those in `notCalled`, as `everyMethod` uses them. */
export const methodsOf = (store: WholeStore): string[] => {
  const named = (prefix: string, value: unknown): string[] => {
    if (typeof value === 'function') return [prefix];
    if (typeof value !== 'object' || value === null) return [];
    return Object.keys(value).flatMap((name) =>
      named(prefix === '' ? name : `${prefix}.${name}`, (value as Record<string, unknown>)[name]),
    );
  };
  const ofOne = named('', store.organization(newId()));
  // If a repository of one organization and one of all organizations have the same name, the latter is renamed.
  const twice = new Set(ofOne.map((name) => name.split('.')[0]));
  const ofAll = named('', store.everyOrganization).map((name) =>
    twice.has(name.split('.')[0]) ? `every${name[0]?.toUpperCase()}${name.slice(1)}` : name,
  );
  return [...ofOne, ...ofAll].filter((name) => !notCalled.some((pattern) => pattern.test(name)));
};
