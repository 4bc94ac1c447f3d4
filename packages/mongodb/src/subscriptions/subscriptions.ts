import {
  clock,
  type EventPattern,
  type FailureCause,
  type FixedHeaders,
  HIDDEN_VALUE,
  headersAfter,
  isSameOrigin,
  MAX_SUBSCRIPTIONS_PER_CLINIC,
  MAX_WITH_REPLACEMENTS_PER_CLINIC,
  newId,
  nextEditTime,
  type Payload,
  type Subscription,
  stateOf,
} from '@chairside/domain';
import { newWebhookSecret } from '@chairside/webhook-request';
import type { UpdateFilter } from 'mongodb';
import { DELIVERY_LIFE_MS, type DeliveryDocument, isFinal } from '../deliveries/deliveries.ts';
import type { Collection } from '../driver/database.ts';
import { deleteUnique } from '../driver/ferretdb.ts';
import { insertIntoFreeSlot } from '../driver/slots.ts';
import { isDuplicateKey } from '../driver/statements.ts';
import type { Secrets } from '../encryption/secrets.ts';
import type { Noticed, UntoldTimes } from '../mails/notice-time.ts';
import { type EndingDocument, enterEnding } from '../restores/endings.ts';
import {
  type ChainPlace,
  chainIdOf,
  isPending,
  placeAfter,
  predecessorsOf,
  replacementOf,
  successorOf,
} from './chains.ts';

export type SubscriptionDocument = Noticed & {
  _id: string;
  organizationId: string;
  clinicId: string;
  /** A number from 0 to 39 that is unique in the clinic. See `Slotted`. Only a replacement has one beyond 19. */
  slot: number;
  /** As the parser of URLs writes it, so that equal URLs are equal texts. */
  url: string;
  /** The host of the URL, with its port if that is not the default. */
  host: string;
  events: EventPattern[];
  payload: Payload;
  /** The names of the fixed headers, and the headers with their values as sealed JSON. Absent if there are none. */
  headerNames?: string[];
  headers?: string;
  active: boolean;
  /** Begins with 1, and increases each time an operator enables the disabled subscription. */
  activation: number;
  secret: string;
  createdTime: Date;
  lastEditTime: Date;
  consecutiveFailures: number;
  /** The causes of the last consecutive failures. They are meaningless while `consecutiveFailures` is 0. */
  lastCauses?: FailureCause[];
  /**
   * The pause while the subscription is slowed down, by the clock of the database; absent after a test or redelivery that
   * succeeded. The next pause is twice as long as `ms`.
   */
  pause?: { ms: number; until: Date };
  /**
   * The right to make the only attempt while the subscription is slowed down, by the clock of the database. Its holder
   * knows the token.
   */
  permit?: { token: string; until: Date };
  disabledTime?: Date;
  disabledReason?: string;
  chain?: ChainPlace;
  /** When the first of the consecutive failures was stored; absent while there is none. */
  failingSince?: Date;
  /**
   * A disabling that was not told, with the last causes; without them, an operator of the service has disabled the
   * subscription. It stays when an operator enables the subscription.
   */
  untoldDisabling?: UntoldTimes & { causes?: FailureCause[] };
  /** The trouble that was told and has not ended: when the failures began, and when the subscription was disabled. */
  toldTrouble?: { failing?: Date; disabled?: Date };
  /** When an event was accepted after trouble that was told. */
  recoveredTime?: Date;
};

/**
 * The maximum number of concurrent lookups of last deliveries, so that a long list does not use all connections.
 */
const AT_ONCE = 20;
const withoutSecret = { secret: 0, slot: 0, host: 0 } as const;

/** The stored fields of a valid URL. */
const urlFields = (url: string): Pick<SubscriptionDocument, 'url' | 'host'> => {
  const { href, host } = new URL(url);
  return { url: href, host };
};

export const secretPlace = (_id: string) => ({ collection: 'subscriptions', _id, field: 'secret' });
const headersPlace = (_id: string) => ({ collection: 'subscriptions', _id, field: 'headers' });

/** The stored fields of fixed headers. */
const headerFields = (
  _id: string,
  headers: FixedHeaders,
  secrets: Secrets,
): Pick<SubscriptionDocument, 'headerNames' | 'headers'> =>
  Object.keys(headers).length === 0
    ? {}
    : {
        headerNames: Object.keys(headers),
        headers: secrets.encrypt(JSON.stringify(headers), headersPlace(_id)),
      };

/** @throws {Error} if they cannot be decrypted */
export const openHeaders = (
  { _id, headers }: Pick<SubscriptionDocument, '_id' | 'headers'>,
  secrets: Pick<Secrets, 'decrypt'>,
): FixedHeaders => (headers === undefined ? {} : JSON.parse(secrets.decrypt(headers, headersPlace(_id))));

/**
 * The fixed headers of a subscription, or of its replacement, with this URL. Another origin does not get the values.
 *
 * @param sent the headers of the request; undefined if it has none
 */
const headersFor = (
  current: Pick<SubscriptionDocument, '_id' | 'headers' | 'url'>,
  { url, headers: sent }: { url: string; headers?: FixedHeaders | undefined },
  secrets: Secrets,
): FixedHeaders => {
  const keepsValues = sent === undefined || Object.values(sent).includes(HIDDEN_VALUE);
  return headersAfter(
    keepsValues && isSameOrigin(url, current.url) ? openHeaders(current, secrets) : {},
    sent,
  );
};

/** What an operator sends of a subscription. */
type Sent = Pick<Subscription, 'url' | 'events'> & { payload: Payload; headers: FixedHeaders };
/** What an operator changes of a subscription. */
type Changes = { [F in keyof Sent]?: Sent[F] | undefined };

export type CreatedSubscription = Subscription & { secret: string };

/** Why no replacement was created. */
export type RefusedReplacement =
  /** The clinic has the maximum number of subscriptions. */
  | { refused: 'limitReached' }
  /** The subscription is itself a replacement that has not been switched to. */
  | { refused: 'isPending' }
  /** This subscription replaces it already, or is to replace it. */
  | { refused: 'hasReplacement'; by: string };

/** The subscriptions of one organization. */
export type Subscriptions = {
  /** @param clinicIds only subscriptions of these clinics; all by default */
  list(clinicIds?: readonly string[]): Promise<Subscription[]>;
  find(id: string): Promise<Subscription | undefined>;
  /** Whether a subscription of the organization sends to this host, which may contain a port. */
  hasHost(host: string): Promise<boolean>;
  /** @returns undefined if the clinic already has the maximum number of subscriptions */
  create(
    sent: Pick<Subscription, 'clinicId' | 'url' | 'events' | 'active'> & Changes,
    now: Date,
  ): Promise<CreatedSubscription | undefined>;
  /**
   * Creates a subscription with a new secret that is to replace another one. It is inactive. Enabling it lets it get the
   * events instead of the other one.
   *
   * @param sent what differs from the replaced subscription
   * @param check throws if it may not be replaced so; called again if another caller has changed it since it was read
   * @returns undefined if the replaced subscription does not exist
   */
  replace(
    id: string,
    sent: Changes,
    now: Date,
    check?: (current: Subscription) => void,
  ): Promise<CreatedSubscription | RefusedReplacement | undefined>;
  /**
   * @param changes.isOfService whether an operator of the service makes the change: the administrators are told that the
   *   subscription is disabled
   * @param check throws if the subscription may not be changed; called again if another caller has changed it since it
   *   was read
   */
  update(
    id: string,
    changes: Changes & { active?: boolean | undefined; isOfService?: true },
    now: Date,
    check?: (current: Subscription) => void,
  ): Promise<Subscription | undefined>;
  /** @param check throws if the subscription may not be deleted */
  delete(id: string, check?: (current: Subscription) => void): Promise<Subscription | undefined>;
};

/** A subscription that was deleted, and whose deliveries may still be stored. */
export type DeletedSubscriptionDocument = { _id: string; organizationId: string; expireAt: Date };

/** How long the deletion of a subscription is known: longer than its deliveries. */
export const DELETED_LIFE_MS = DELIVERY_LIFE_MS + 24 * 60 * 60 * 1000;

type LastDelivery = Pick<DeliveryDocument, 'status' | 'attemptTime' | 'statusCode' | 'expireAt'>;
type PublicDocument = Omit<SubscriptionDocument, 'secret' | 'slot' | 'host'>;
/** A subscription and all members of its chain that exist, itself included. */
type Found = { document: PublicDocument; members: readonly PublicDocument[] };

/** Events that wait for longer than this are a backlog, in milliseconds. */
const BACKLOG_AGE_MS = 5000;
/** How long after a failure a subscription with a backlog counts as recovering, in milliseconds. */
const RECOVERY_MS = 60 * 60_000;

/** Whether the next event waits for the end of a pause. */
const isPausing = ({ active, pause }: PublicDocument): boolean =>
  active && pause !== undefined && pause.until > clock.now();

/** The relation of a subscription to others of its chain, as far as they exist. */
type Relation = Pick<Subscription, 'replaces' | 'replacedBy' | 'disabledTime' | 'disabledReason'>;

const relationOf = (document: PublicDocument, members: readonly PublicDocument[]): Relation => {
  const replaced = members.find(({ _id }) => _id === document.chain?.replaces);
  const successor = successorOf(document, members);
  return {
    ...(replaced && { replaces: replaced._id }),
    ...(successor && {
      replacedBy: successor._id,
      disabledTime: successor.chain?.switchedTime?.toISOString(),
      disabledReason: `Replaced by subscription ${successor._id}.`,
    }),
  };
};

const toSubscription = (
  document: PublicDocument,
  { replacedBy, ...relation }: Relation,
  last?: LastDelivery,
  isCatchingUp = false,
): Subscription => ({
  _id: document._id,
  clinicId: document.clinicId,
  url: document.url,
  events: document.events,
  payload: document.payload,
  headers: Object.fromEntries((document.headerNames ?? []).map((name) => [name, HIDDEN_VALUE])),
  active: document.active && replacedBy === undefined,
  createdTime: document.createdTime.toISOString(),
  lastEditTime: document.lastEditTime.toISOString(),
  state: stateOf({
    ...document,
    last: last && (last.status === 'succeeded' ? 'succeeded' : 'failed'),
    isCatchingUp,
    isPending: isPending(document) && relation.replaces !== undefined,
    isReplaced: replacedBy !== undefined,
  }),
  ...(isPausing(document) && { nextAttemptTime: document.pause?.until.toISOString() }),
  consecutiveFailures: document.consecutiveFailures,
  ...(document.disabledTime && { disabledTime: document.disabledTime.toISOString() }),
  ...(document.disabledReason && { disabledReason: document.disabledReason }),
  ...relation,
  ...(replacedBy !== undefined && { replacedBy }),
  ...(last?.attemptTime && { lastDeliveryTime: last.attemptTime.toISOString() }),
  ...(last?.statusCode !== undefined && { lastStatusCode: last.statusCode }),
});

/** What the subscriptions of an organization are made of. */
type Parts = {
  collection: Collection<SubscriptionDocument>;
  deleted: Collection<DeletedSubscriptionDocument>;
  endings: Collection<EndingDocument>;
  deliveries: Collection<DeliveryDocument>;
  secrets: Secrets;
  /** Every query contains this id. */
  organizationId: string;
};

/** The last delivery that succeeded, and the last one that failed, the later one first. */
const lastDeliveries = async (
  { deliveries, organizationId }: Parts,
  subscriptionId: string,
): Promise<LastDelivery[]> => {
  const attempted = await Promise.all(
    (['succeeded', 'failed'] as const).map((status) =>
      deliveries.findOne<LastDelivery>(
        { organizationId, subscriptionId, status, ...isFinal },
        { sort: { expireAt: -1 }, projection: { status: 1, attemptTime: 1, statusCode: 1, expireAt: 1 } },
      ),
    ),
  );
  return attempted
    .filter((each) => each !== null)
    .toSorted((one, another) => Number(another.expireAt) - Number(one.expireAt));
};

/** Whether the last attempt succeeded after failures, and events still wait. */
const isCatchingUp = async (
  { deliveries, organizationId }: Parts,
  { _id, consecutiveFailures }: PublicDocument,
  [last, lastFailed]: readonly LastDelivery[],
): Promise<boolean> => {
  if (last?.status !== 'succeeded') return false;
  const now = clock.now().getTime();
  const failedAt = lastFailed?.attemptTime?.getTime() ?? 0;
  if (consecutiveFailures === 0 && now - failedAt > RECOVERY_MS) return false;
  const createdTime = { $lt: new Date(now - BACKLOG_AGE_MS) };
  const waiting = await deliveries.findOne(
    { organizationId, subscriptionId: _id, status: 'queued', kind: 'event', createdTime },
    { projection: { _id: 1 }, hint: { subscriptionId: 1, kind: 1 } },
  );
  return waiting !== null;
};

/** The last delivery is read from the deliveries, so that not every success causes a write to the subscription. */
const withLastDelivery = async (parts: Parts, { document, members }: Found): Promise<Subscription> => {
  const attempted = await lastDeliveries(parts, document._id);
  const relation = relationOf(document, members);
  return toSubscription(document, relation, attempted[0], await isCatchingUp(parts, document, attempted));
};

const readChain = ({ collection, organizationId }: Parts, chainId: string): Promise<PublicDocument[]> =>
  collection
    .find<PublicDocument>(
      { organizationId, $or: [{ _id: chainId }, { 'chain._id': chainId }] },
      { projection: withoutSecret },
    )
    .toArray();

/** Reads a subscription with the others of its chain: in one round trip if it is the first of them, as most are. */
const read = async (parts: Parts, id: string): Promise<Found | undefined> => {
  const first = await readChain(parts, id);
  const own = first.find(({ _id }) => _id === id);
  if (own?.chain === undefined) return own && { document: own, members: first };
  const members = await readChain(parts, own.chain._id);
  const document = members.find(({ _id }) => _id === id);
  return document && { document, members };
};

const find = async (parts: Parts, id: string): Promise<Subscription | undefined> => {
  const found = await read(parts, id);
  return found && withLastDelivery(parts, found);
};

const list = async (parts: Parts, clinicIds: readonly string[] | undefined): Promise<Subscription[]> => {
  const { collection, organizationId } = parts;
  const ofClinics = clinicIds && { clinicId: { $in: [...clinicIds] } };
  const documents = await collection
    .find({ organizationId, ...ofClinics }, { projection: withoutSecret, sort: { _id: 1 } })
    .toArray();
  const subscriptions: Subscription[] = [];
  const chains = Map.groupBy(documents, chainIdOf);
  const all = documents.map((document) => ({ document, members: chains.get(chainIdOf(document)) ?? [] }));
  for (let begin = 0; begin < all.length; begin += AT_ONCE) {
    const group = all.slice(begin, begin + AT_ONCE);
    subscriptions.push(...(await Promise.all(group.map((found) => withLastDelivery(parts, found)))));
  }
  return subscriptions;
};

/** @returns undefined if the clinic has too many subscriptions */
const insert = async (
  { collection, secrets, organizationId }: Parts,
  { clinicId, url, events, payload = 'full', headers = {}, active }: Parameters<Subscriptions['create']>[0],
  now: Date,
  chain?: ChainPlace,
): Promise<CreatedSubscription | undefined> => {
  const _id = newId(now);
  const secret = newWebhookSecret();
  const document: Omit<SubscriptionDocument, 'slot'> = {
    _id,
    organizationId,
    clinicId,
    ...urlFields(url),
    events,
    payload,
    ...headerFields(_id, headers, secrets),
    active,
    activation: 1,
    secret: secrets.encrypt(secret, secretPlace(_id)),
    createdTime: now,
    lastEditTime: now,
    consecutiveFailures: 0,
    ...(chain && { chain }),
  };
  const scope = { organizationId, clinicId };
  const isInserted = await insertIntoFreeSlot(
    collection,
    document,
    chain === undefined
      ? { scope, maximum: MAX_SUBSCRIPTIONS_PER_CLINIC }
      : {
          scope,
          maximum: MAX_WITH_REPLACEMENTS_PER_CLINIC,
          otherKey: { organizationId, 'chain._id': chain._id, 'chain.generation': chain.generation },
        },
  );
  if (!isInserted) return undefined;
  return { ...toSubscription(document, chain ? { replaces: chain.replaces } : {}), secret };
};

/** Why this subscription cannot be replaced. */
const refusalOf = ({ document, members }: Found): RefusedReplacement | undefined => {
  if (isPending(document) && predecessorsOf(document, members).length > 0) return { refused: 'isPending' };
  const replacement = replacementOf(document, members);
  return replacement && { refused: 'hasReplacement', by: replacement._id };
};

const replace = async (
  parts: Parts,
  ...[id, sent, now, check = () => {}]: Parameters<Subscriptions['replace']>
): Promise<CreatedSubscription | RefusedReplacement | undefined> => {
  for (;;) {
    const found = await read(parts, id);
    if (found === undefined) return undefined;
    const refusal = refusalOf(found);
    if (refusal !== undefined) return refusal;
    const { document, members } = found;
    check(toSubscription(document, relationOf(document, members)));
    const { url = document.url, events = document.events, payload = document.payload } = sent;
    const headers = headersFor(document, { ...sent, url }, parts.secrets);
    const fields = { clinicId: document.clinicId, url, events, payload, headers, active: false };
    try {
      return (await insert(parts, fields, now, placeAfter(document))) ?? { refused: 'limitReached' };
    } catch (error) {
      // Another caller has just created a replacement. The next read finds it.
      if (!isDuplicateKey(error)) throw error;
    }
  }
};

/** The update of a subscription to what an operator has sent. */
const updateTo = (
  { document: current, members }: Found,
  changes: Parameters<Subscriptions['update']>[1],
  now: Date,
  secrets: Secrets,
): UpdateFilter<SubscriptionDocument> => {
  const { url, events, payload, active, isOfService } = changes;
  const sent = url === undefined ? undefined : urlFields(url);
  const isNewUrl = sent !== undefined && sent.url !== current.url;
  const isEnabled = active === true && !current.active;
  // A replaced subscription is inactive already. What is queued for it is still sent.
  const isDisabled = active === false && current.active && successorOf(current, members) === undefined;
  const losesHeaders = url !== undefined && !isSameOrigin(url, current.url);
  const setsHeaders = losesHeaders || changes.headers !== undefined;
  const headers = headerFields(
    current._id,
    setsHeaders ? headersFor(current, { ...changes, url: url ?? current.url }, secrets) : {},
    secrets,
  );
  return {
    $set: {
      lastEditTime: new Date(nextEditTime(now, current.lastEditTime.toISOString())),
      ...sent,
      ...(events !== undefined && { events }),
      ...(payload !== undefined && { payload }),
      ...headers,
      ...(isEnabled && { active: true, consecutiveFailures: 0 }),
      // For a replacement, this is the switch: the other subscriptions are not changed.
      ...(isEnabled && isPending(current) && { 'chain.switchedTime': now }),
      ...(isDisabled && { active: false, disabledTime: now, disabledReason: 'Disabled by an operator.' }),
      ...(isDisabled && isOfService && { untoldDisabling: { since: now, time: now }, noticeAt: now }),
    },
    $unset: {
      // Another receiver need not wait because the previous one failed.
      ...((isNewUrl || isEnabled) && { pause: '' }),
      ...(setsHeaders && headers.headers === undefined && { headerNames: '', headers: '' }),
      ...(isEnabled && { disabledTime: '', disabledReason: '', lastCauses: '', permit: '' }),
      ...(isEnabled && { failingSince: '', recoveredTime: '' }),
    },
    ...(isEnabled && { $inc: { activation: 1 } }),
  };
};

const update = async (
  parts: Parts,
  ...[id, changes, now, check = () => {}]: Parameters<Subscriptions['update']>
): Promise<Subscription | undefined> => {
  const { collection, organizationId } = parts;
  for (;;) {
    const found = await read(parts, id);
    if (found === undefined) return undefined;
    const { document: current, members } = found;
    check(toSubscription(current, relationOf(current, members)));
    const { matchedCount } = await collection.updateOne(
      { _id: id, organizationId, lastEditTime: current.lastEditTime, active: current.active },
      updateTo(found, changes, now, parts.secrets),
    );
    if (matchedCount === 1) return find(parts, id);
  }
};

/**
 * What a deleted subscription has replaced stays inactive until somebody enables it: its secret was replaced for a
 * reason.
 */
const disablePredecessors = async (
  { collection, organizationId }: Parts,
  { document, members }: Found,
): Promise<void> => {
  if (isPending(document) || successorOf(document, members) !== undefined) return;
  const predecessors = predecessorsOf(document, members).map(({ _id }) => _id);
  await collection.updateMany(
    { organizationId, _id: { $in: predecessors }, active: true },
    {
      $set: {
        active: false,
        disabledTime: clock.now(),
        disabledReason: `Replaced by subscription ${document._id}, which was deleted later.`,
      },
    },
  );
};

const remove = async (
  parts: Parts,
  ...[id, check = () => {}]: Parameters<Subscriptions['delete']>
): Promise<Subscription | undefined> => {
  const { collection, deleted, endings, organizationId } = parts;
  const found = await read(parts, id);
  if (found === undefined) return undefined;
  const current = await withLastDelivery(parts, found);
  check(current);
  const expireAt = new Date(clock.now().getTime() + DELETED_LIFE_MS);
  await deleted.updateOne({ _id: id, organizationId }, { $set: { expireAt } }, { upsert: true });
  await disablePredecessors(parts, found);
  await enterEnding(endings, { kind: 'subscription', id, organizationId });
  return (await deleteUnique(collection, { _id: id, organizationId })) ? current : undefined;
};

export const subscriptionsOf = (parts: Parts): Subscriptions => {
  const { collection, organizationId } = parts;
  return {
    find: (id) => find(parts, id),
    async hasHost(host) {
      const options = { projection: { _id: 1 }, hint: 'host' };
      return (await collection.findOne({ organizationId, host }, options)) !== null;
    },
    list: (clinicIds) => list(parts, clinicIds),
    create: (sent, now) => insert(parts, sent, now),
    replace: (...given) => replace(parts, ...given),
    update: (...given) => update(parts, ...given),
    delete: (...given) => remove(parts, ...given),
  };
};
