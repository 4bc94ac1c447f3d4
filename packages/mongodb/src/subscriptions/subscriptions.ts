import {
  clock,
  type EventPattern,
  type FailureCause,
  MAX_SUBSCRIPTIONS_PER_CLINIC,
  newId,
  nextEditTime,
  type Subscription,
  stateOf,
} from '@chairside/domain';
import type { Collection } from 'mongodb';
import { DELIVERY_LIFE_MS, type DeliveryDocument } from '../deliveries/deliveries.ts';
import { deleteUnique } from '../driver/ferretdb.ts';
import { insertIntoFreeSlot } from '../driver/slots.ts';
import { newSecret, type Secrets } from '../encryption/secrets.ts';

export type SubscriptionDocument = {
  _id: string;
  organizationId: string;
  clinicId: string;
  /** A number from 0 to 19 that is unique in the clinic. See `Slotted`. */
  slot: number;
  url: string;
  events: EventPattern[];
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
  turn?: { token: string; until: Date };
  disabledTime?: Date;
  disabledReason?: string;
};

const SECRET_PREFIX = 'whsec_';
/**
 * The maximum number of concurrent lookups of last deliveries, so that a long list does not use all connections.
 */
const AT_ONCE = 20;
const withoutSecret = { secret: 0, slot: 0 } as const;

/** The subscriptions of one organization. */
export type Subscriptions = {
  /** @param clinicIds only subscriptions of these clinics; all by default */
  list(clinicIds?: readonly string[]): Promise<Subscription[]>;
  find(id: string): Promise<Subscription | undefined>;
  /** Whether a subscription of the organization sends to this host, which may contain a port. */
  hasHost(host: string): Promise<boolean>;
  /** @returns undefined if the clinic already has the maximum number of subscriptions */
  create(
    sent: Pick<Subscription, 'clinicId' | 'url' | 'events' | 'active'>,
    now: Date,
  ): Promise<(Subscription & { secret: string }) | undefined>;
  update(
    id: string,
    changes: { url?: string | undefined; events?: EventPattern[] | undefined; active?: boolean | undefined },
    now: Date,
  ): Promise<Subscription | undefined>;
  delete(id: string): Promise<Subscription | undefined>;
};

/** A subscription that was deleted, and whose deliveries may still be stored. */
export type DeletedSubscriptionDocument = { _id: string; organizationId: string; expireAt: Date };

/** How long the deletion of a subscription is known: longer than its deliveries. */
const DELETED_LIFE_MS = DELIVERY_LIFE_MS + 24 * 60 * 60 * 1000;

type LastDelivery = Pick<DeliveryDocument, 'status' | 'attemptTime' | 'statusCode' | 'expireAt'>;
type PublicDocument = Omit<SubscriptionDocument, 'secret' | 'slot'>;

/** Events that wait for longer than this are a backlog, in milliseconds. */
const BACKLOG_AGE_MS = 5000;
/** How long after a failure a subscription with a backlog counts as recovering, in milliseconds. */
const RECOVERY_MS = 60 * 60_000;

/** Whether the next event waits for the end of a pause. */
const isPausing = ({ active, pause }: PublicDocument): boolean =>
  active && pause !== undefined && pause.until > clock.now();

const toSubscription = (
  document: PublicDocument,
  last?: LastDelivery,
  isCatchingUp = false,
): Subscription => ({
  _id: document._id,
  clinicId: document.clinicId,
  url: document.url,
  events: document.events,
  active: document.active,
  createdTime: document.createdTime.toISOString(),
  lastEditTime: document.lastEditTime.toISOString(),
  state: stateOf({
    ...document,
    last: last && (last.status === 'succeeded' ? 'succeeded' : 'failed'),
    isCatchingUp,
  }),
  ...(isPausing(document) && { nextAttemptTime: document.pause?.until.toISOString() }),
  consecutiveFailures: document.consecutiveFailures,
  ...(document.disabledTime && { disabledTime: document.disabledTime.toISOString() }),
  ...(document.disabledReason && { disabledReason: document.disabledReason }),
  ...(last?.attemptTime && { lastDeliveryTime: last.attemptTime.toISOString() }),
  ...(last?.statusCode !== undefined && { lastStatusCode: last.statusCode }),
});

/** @param organizationId every query of the returned repository contains this id */
export const subscriptionsOf = (
  collection: Collection<SubscriptionDocument>,
  deleted: Collection<DeletedSubscriptionDocument>,
  deliveries: Collection<DeliveryDocument>,
  secrets: Secrets,
  organizationId: string,
): Subscriptions => {
  // The last delivery is read from the deliveries, so that not every success causes a write to the subscription.
  const withLastDelivery = async (document: PublicDocument): Promise<Subscription> => {
    const attempted = await Promise.all(
      (['succeeded', 'failed'] as const).map((status) =>
        deliveries.findOne<LastDelivery>(
          { organizationId, subscriptionId: document._id, status },
          { sort: { expireAt: -1 }, projection: { status: 1, attemptTime: 1, statusCode: 1, expireAt: 1 } },
        ),
      ),
    );
    const [last, other] = attempted
      .filter((each) => each !== null)
      .toSorted((one, another) => Number(another.expireAt) - Number(one.expireAt));
    return toSubscription(document, last, await isCatchingUp(document, last, other));
  };

  /** Whether the last attempt succeeded after failures, and events still wait. */
  const isCatchingUp = async (
    { _id, consecutiveFailures }: PublicDocument,
    last: LastDelivery | undefined,
    lastFailed: LastDelivery | undefined,
  ): Promise<boolean> => {
    if (last?.status !== 'succeeded') return false;
    const now = clock.now().getTime();
    const failedAt = lastFailed?.attemptTime?.getTime() ?? 0;
    if (consecutiveFailures === 0 && now - failedAt > RECOVERY_MS) return false;
    const createdTime = { $lt: new Date(now - BACKLOG_AGE_MS) };
    const waiting = await deliveries.findOne(
      { organizationId, subscriptionId: _id, status: 'queued', kind: 'event', createdTime },
      { projection: { _id: 1 }, hint: { subscriptionId: 1, status: 1, expireAt: 1 } },
    );
    return waiting !== null;
  };

  const find = async (id: string) => {
    const document = await collection.findOne({ _id: id, organizationId }, { projection: withoutSecret });
    return document === null ? undefined : withLastDelivery(document);
  };

  return {
    find,

    async hasHost(host) {
      const documents = await collection.find({ organizationId }, { projection: { url: 1 } }).toArray();
      return documents.some(({ url }) => URL.canParse(url) && new URL(url).host === host);
    },

    async list(clinicIds) {
      const ofClinics = clinicIds && { clinicId: { $in: [...clinicIds] } };
      const documents = await collection
        .find({ organizationId, ...ofClinics }, { projection: withoutSecret, sort: { _id: 1 } })
        .toArray();
      const subscriptions: Subscription[] = [];
      for (let begin = 0; begin < documents.length; begin += AT_ONCE) {
        const group = documents.slice(begin, begin + AT_ONCE);
        subscriptions.push(...(await Promise.all(group.map(withLastDelivery))));
      }
      return subscriptions;
    },

    async create(sent, now) {
      const _id = newId(now);
      const secret = newSecret(SECRET_PREFIX);
      const document: Omit<SubscriptionDocument, 'slot'> = {
        _id,
        organizationId,
        clinicId: sent.clinicId,
        url: sent.url,
        events: sent.events,
        active: sent.active,
        activation: 1,
        secret: secrets.encrypt(secret, { collection: 'subscriptions', _id, field: 'secret' }),
        createdTime: now,
        lastEditTime: now,
        consecutiveFailures: 0,
      };
      const isInserted = await insertIntoFreeSlot(collection, document, {
        scope: { organizationId, clinicId: sent.clinicId },
        maximum: MAX_SUBSCRIPTIONS_PER_CLINIC,
      });
      return isInserted ? { ...toSubscription(document), secret } : undefined;
    },

    async update(id, { url, events, active }, now) {
      const current = await find(id);
      if (current === undefined) return undefined;
      const edited = {
        lastEditTime: new Date(nextEditTime(now, current.lastEditTime)),
        ...(url !== undefined && { url }),
        ...(events !== undefined && { events }),
      };
      if (active === true) {
        // The filter requires a disabled subscription, so that two concurrent callers do not increase
        // `activation` twice.
        await collection.updateOne(
          { _id: id, organizationId, active: false },
          {
            $set: { active: true, consecutiveFailures: 0 },
            $unset: { disabledTime: '', disabledReason: '', lastCauses: '', pause: '', turn: '' },
            $inc: { activation: 1 },
          },
        );
      } else if (active === false) {
        await collection.updateOne(
          { _id: id, organizationId, active: true },
          { $set: { active: false, disabledTime: now, disabledReason: 'Disabled by an operator.' } },
        );
      }
      await collection.updateOne(
        { _id: id, organizationId },
        // Another receiver need not wait because the previous one failed.
        { $set: edited, ...(url !== undefined && url !== current.url && { $unset: { pause: '' } }) },
      );
      return find(id);
    },

    async delete(id) {
      const current = await find(id);
      if (current === undefined) return undefined;
      const expireAt = new Date(clock.now().getTime() + DELETED_LIFE_MS);
      await deleted.updateOne({ _id: id, organizationId }, { $set: { expireAt } }, { upsert: true });
      return (await deleteUnique(collection, { _id: id, organizationId })) ? current : undefined;
    },
  };
};
