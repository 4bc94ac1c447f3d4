import { randomUUID } from 'node:crypto';
import { deliveryId } from '@chairside/domain';
import type { ClaimedDelivery, OutboxRef, Outcome, StoredBody } from '@chairside/mongodb/dispatch';
import { createSigner, type Signer } from '@chairside/signing';
import { Redis } from 'ioredis';
import { Pool } from 'undici';
import type { Service, Written } from '../service.ts';

const QUEUE = 'bench-same-work';
/**
 * Maximum number of jobs that a loop takes at once from the list of the bench, and of deliveries that it claims at
 * once.
 */
const GROUP = 100;

/** POSTs a delivery and returns the status code of the response. */
export type Post = (
  body: string,
  ids: { event: string; eventId: string; deliveryId: string },
) => Promise<number>;

/** Signs and POSTs a body with the headers of a webhook, and does nothing else. */
export const openPoster = (url: string, connections: number): { post: Post; close(): Promise<void> } => {
  const { origin, pathname } = new URL(url);
  const pool = new Pool(origin, { connections, pipelining: 1 });
  const signer: Signer = createSigner({ secret: `whsec_${Buffer.alloc(32, 1).toString('base64')}` });
  return {
    async post(body, ids) {
      const response = await pool.request({
        path: pathname,
        method: 'POST',
        body,
        headers: {
          'content-type': 'application/json',
          'user-agent': 'Chairside-Webhooks/1.0',
          'x-service-event': ids.event,
          'x-service-event-id': ids.eventId,
          'x-service-delivery-id': ids.deliveryId,
          'x-service-signature': signer.sign({ body, timestamp: Math.floor(Date.now() / 1000) }),
        },
      });
      await response.body.dump();
      return response.statusCode;
    },
    close: () => pool.close(),
  };
};

/** The contestant `bare`: POSTs the same body to the receiver again and again, with `atOnce` POSTs in flight. */
export const postAll = async (post: Post, body: string, count: number, atOnce: number): Promise<void> => {
  let left = count;
  const ids = { event: 'patient.created', eventId: randomUUID(), deliveryId: randomUUID() };
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (left-- > 0) await post(body, ids);
    }),
  );
};

type Group = { service: Service; post: Post; postsAtOnce: number };

/** Processes one group: makes the same calls to MongoDB as the dispatcher, and POSTs the deliveries. */
const deliverGroup = async ({ service, post, postsAtOnce }: Group, refs: OutboxRef[]): Promise<void> => {
  const { outbox, events: log, audit, receivers, deliveries } = service.store.everyOrganization;
  const events = await outbox.read(refs);
  const clinics = events.flatMap((event) =>
    event.clinicIds.map((clinicId) => ({ organizationId: event.organizationId, clinicId })),
  );
  const found = await receivers.inClinics(clinics);
  const urls = new Map(
    found.flatMap(({ receiver }) => ('url' in receiver ? [[receiver._id, receiver.url]] : [])),
  );
  const createdTime = new Date();
  const bodies = new Map(events.map(({ _id, body }) => [_id, body]));
  const made = events.flatMap((event) =>
    found
      .filter(({ receiver }) => event.clinicIds.includes(receiver.clinicId))
      .map(({ receiver: { _id, organizationId, clinicId } }) => ({
        _id: deliveryId(event._id, _id),
        organizationId,
        clinicId,
        subscriptionId: _id,
        eventId: event._id,
        event: event.event,
        kind: 'event' as const,
        createdTime,
      })),
  );
  await deliveries.insert(made, createdTime);
  const filing = Promise.all([log.enter(events), audit.addWrites(events)]).then(() => outbox.takeOut(events));
  for (let begin = 0; begin < made.length; begin += GROUP) {
    const part = await deliveries.claim(made.slice(begin, begin + GROUP), randomUUID(), 'same-work');
    const ended: { delivery: ClaimedDelivery; outcome: Outcome }[] = [];
    await Promise.all(
      Array.from({ length: postsAtOnce }, async (_, first) => {
        for (let index = first; index < part.length; index += postsAtOnce) {
          const delivery = part[index] as ClaimedDelivery;
          const startedAt = performance.now();
          const attemptTime = new Date();
          const { eventId: _id, organizationId } = delivery;
          const body = await log.open({ _id, organizationId, body: bodies.get(_id) as StoredBody });
          await post(body, { ...delivery, deliveryId: delivery._id });
          const duration = performance.now() - startedAt;
          const outcome = { attemptTime, duration, timings: { firstByte: duration }, statusCode: 200 };
          const url = urls.get(delivery.subscriptionId) as string;
          ended.push({ delivery, outcome: { outcome: 'succeeded', address: '127.0.0.1', url, ...outcome } });
        }
      }),
    );
    await deliveries.finish(ended, new Date());
    await receivers.clearStreaks([...new Set(ended.map(({ delivery }) => delivery.subscriptionId))]);
  }
  await filing;
};

/**
 * The contestant `same work`: does the work of the dispatcher for these events, without its decisions. Its queue is a
 * list in Redis.
 */
export const deliverAll = async (
  service: Service,
  post: Post,
  written: readonly Written[],
  { groupsAtOnce, postsAtOnce }: { groupsAtOnce: number; postsAtOnce: number },
): Promise<void> => {
  const redis = new Redis(service.redis);
  await redis.rpush(QUEUE, ...written.map(({ ref }) => JSON.stringify(ref)));
  await Promise.all(
    Array.from({ length: groupsAtOnce }, async () => {
      for (;;) {
        const jobs = await redis.lpop(QUEUE, GROUP);
        if (jobs === null) return;
        await deliverGroup(
          { service, post, postsAtOnce },
          jobs.map((job) => JSON.parse(job)),
        );
      }
    }),
  );
  redis.disconnect();
};
