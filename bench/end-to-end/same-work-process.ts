// A minimal implementation of the same work: receive a POST, insert once, respond, sign, POST to each subscription,
// store the outcome. It has no authentication, validation, audit, limits, encryption or queue.
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { batched } from '@chairside/concurrency';
import { deliveryId, newEvent, newId } from '@chairside/domain';
import { MongoClient } from 'mongodb';
import { openPoster } from '../delivery/floors.ts';

/** The configuration of this process: the URL of the subscriptions, and their number for each clinic. */
export type Ground = { mongodbUrl: string; receiverUrl: string; clinics: Readonly<Record<string, number>> };

type Stored = { _id: string; [field: string]: unknown };
type Sent = { _id: string; statusCode: number; duration: number };

const POSTS_AT_ONCE = 50;
const MAX_GROUP = 200;

const { mongodbUrl, receiverUrl, clinics }: Ground = JSON.parse(process.argv[2] ?? '');
const client = new MongoClient(mongodbUrl, {
  maxPoolSize: 50,
  writeConcern: { w: 'majority', journal: true },
});
const patients = client.db().collection<Stored>('sameWork');
const poster = openPoster(receiverUrl, POSTS_AT_ONCE);

/** Outcomes that are ready at the same time share a statement. */
const store = batched<{ _id: string; deliveries: Sent[] }, void>(async (ended) => {
  const updates = ended.map(({ _id, deliveries }) => ({
    updateOne: { filter: { _id }, update: { $set: { deliveries }, $unset: { outbox: 1 as const } } },
  }));
  await patients.bulkWrite(updates, { ordered: false });
  return [];
}, MAX_GROUP);

const create = async (fields: { clinicId: string }) => {
  const time = new Date();
  const record = { _id: newId(time), ...fields, lastEditTime: time.toISOString() };
  const author = { principal: { kind: 'system' as const, id: 'bench' }, requestId: 'bench' };
  const event = newEvent({ _id: newId(time), event: 'patient.created', time, author }, record);
  await patients.insertOne({ ...record, outbox: event });
  const deliver = async () => {
    const send = async (_: unknown, index: number): Promise<Sent> => {
      const _id = deliveryId(event._id, String(index));
      const startedAt = performance.now();
      const ids = { event: event.event, eventId: event._id, deliveryId: _id };
      const statusCode = await poster.post(event.body, ids);
      return { _id, statusCode, duration: performance.now() - startedAt };
    };
    const deliveries = await Promise.all(Array.from({ length: clinics[fields.clinicId] ?? 0 }, send));
    await store({ _id: record._id, deliveries });
  };
  return { record, deliver };
};

createServer(async (request, response) => {
  if (request.method !== 'POST') return response.end();
  const { record, deliver } = await create(JSON.parse(await text(request)));
  response.setHeader('content-type', 'application/json; charset=utf-8').end(JSON.stringify(record));
  await deliver();
}).listen(Number(process.env.PORT), '127.0.0.1');
