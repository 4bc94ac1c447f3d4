import { clock, newId } from '@chairside/domain';
import type { Filter } from 'mongodb';
import { type AuditTrail, type Author, beginRun } from '../audit/audit.ts';
import { type DeliveryDocument, ended } from '../deliveries/deliveries.ts';
import type { Collection } from '../driver/database.ts';
import { updatesUntilNoDeadlock } from '../driver/ferretdb.ts';
import { atOnce, byId } from '../driver/statements.ts';
import { beyond, type TimePosition } from '../driver/time-order.ts';
import type { LaneRequests } from '../lanes/lane-requests.ts';
import { distinctLanes } from '../lanes/lane-store.ts';

/** How many deliveries one statement changes. */
const PAGE = 1000;

/** Which queued deliveries are released or discarded; all, if nothing is given. */
export type OutboundFilter = {
  organizationId?: string | undefined;
  clinicId?: string | undefined;
  subscriptionId?: string | undefined;
  /** Created at this time or later. */
  since?: Date | undefined;
  /** Created before this time. Default: now, so that later deliveries wait. */
  until?: Date | undefined;
};

export type OutboundOptions = {
  author: Author;
  /** Only counts the deliveries. */
  isTrial: boolean;
  /** Called with the number of deliveries so far. */
  onProgress(done: number): void;
};

/** Decides about the deliveries that dispatchers with `OUTBOUND=hold` hold. Both calls may be interrupted and repeated. */
export type HeldDeliveries = {
  /** Lets these deliveries leave. @returns their number */
  release(filter: OutboundFilter, options: OutboundOptions): Promise<number>;
  /** Stores these deliveries as skipped, with the cause `outbound_off`. @returns their number */
  discard(filter: OutboundFilter, options: OutboundOptions): Promise<number>;
};

type Found = Pick<DeliveryDocument, '_id' | 'organizationId' | 'subscriptionId' | 'createdTime'>;

/** Streams the queued deliveries that match, the oldest first, in pages. */
async function* pagesOf(
  deliveries: Collection<DeliveryDocument>,
  { since, until = clock.now(), ...place }: OutboundFilter,
  isOpen: Filter<DeliveryDocument>,
): AsyncGenerator<Found[], void> {
  const given = Object.entries(place).filter(([, value]) => value !== undefined);
  let last: TimePosition | undefined;
  for (;;) {
    const from = last?.time ?? since;
    const page: Found[] = await deliveries
      .find<Found>(
        {
          status: 'queued',
          ...Object.fromEntries(given),
          ...isOpen,
          createdTime: { ...(from && { $gte: from }), $lt: until },
          ...(last && beyond('createdTime', '$gt', last)),
        },
        {
          projection: { organizationId: 1, subscriptionId: 1, createdTime: 1 },
          sort: { createdTime: 1, _id: 1 },
          limit: PAGE,
          ...atOnce(PAGE),
        },
      )
      .toArray();
    if (page.length > 0) yield page;
    const end = page.at(-1);
    if (end === undefined || page.length < PAGE) return;
    last = { time: end.createdTime, _id: end._id };
  }
}

export const openHeldDeliveries = (
  collection: Collection<DeliveryDocument>,
  laneRequests: Pick<LaneRequests, 'announce' | 'request'>,
  trail: Pick<AuditTrail, 'begin'>,
): HeldDeliveries => {
  const updateMany = updatesUntilNoDeadlock(collection);

  /** Changes the deliveries page by page. Each organization gets one audit entry, which is stored before the first change. */
  const changeAll = async (
    pages: AsyncIterable<Found[]>,
    { author, isTrial, onProgress }: OutboundOptions,
    action: 'released' | 'discarded',
    change: (page: readonly Found[]) => Promise<number>,
  ): Promise<number> => {
    const ends = new Map<string, Awaited<ReturnType<typeof beginRun>>>();
    const id = `admin-${newId()}`;
    let done = 0;
    for await (const page of pages) {
      for (const { organizationId } of isTrial ? [] : page) {
        if (ends.has(organizationId)) continue;
        const run = { ...author, id, organizationId };
        ends.set(organizationId, await beginRun(trail, run, { action, kind: 'webhookDelivery', ids: [] }));
      }
      done += isTrial ? page.length : await change(page);
      onProgress(done);
    }
    for (const end of ends.values()) await end({ result: 'ok' });
    return done;
  };
  const queuedIn = (page: readonly Found[]) => ({
    _id: { $in: page.map(({ _id }) => _id) },
    status: 'queued' as const,
  });

  return {
    release(filter, options) {
      const pages = pagesOf(collection, filter, { released: { $exists: false } });
      return changeAll(pages, options, 'released', async (page) => {
        // If the command is killed after the update, the lanes are opened when the announcements are due.
        const lanes = distinctLanes(page).map((lane) => {
          const first = page.find(({ subscriptionId }) => subscriptionId === lane.subscriptionId) as Found;
          return [lane, first._id] as const;
        });
        for (const given of lanes) await laneRequests.announce(...given);
        const { modifiedCount } = await updateMany(queuedIn(page), { $set: { released: true } }, byId);
        for (const given of lanes) await laneRequests.request(...given);
        return modifiedCount;
      });
    },
    discard: (filter, options) =>
      changeAll(pagesOf(collection, filter, {}), options, 'discarded', async (page) => {
        const skipped = { status: 'skipped' as const, cause: 'outbound_off' as const, ...ended(clock.now()) };
        return (await updateMany(queuedIn(page), { $set: skipped }, byId)).modifiedCount;
      }),
  };
};
