import { createServer, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { batched } from '@chairside/concurrency';
import { newEvent, newId } from '@chairside/domain';
import { openWholeStore } from '@chairside/mongodb/whole';
import { openEventProducer, openRateLimiter } from '@chairside/queue';
import { sealedDocument, sealedEvent } from '@chairside/test-support';
import Fastify from 'fastify';
import { type Binary, type Db, MongoClient } from 'mongodb';
import { patientFields } from '../patient.ts';

/** The data of the practice that the api and its floors serve. */
export type Ground = {
  mongodbUrl: string;
  encryptionKeys: string;
  redisUrl: string;
  redisPrefix: string;
  organizationId: string;
  /**
   * The clinic whose patients are read, and the clinic of new patients. They differ, so that the list keeps its
   * length.
   */
  clinicId: string;
  createClinicId: string;
  patientIds: readonly string[];
};

/** One call of each operation, as made by a caller of the api. */
export type Calls = {
  get(id: string): Promise<unknown>;
  list(): Promise<unknown>;
  create(): Promise<unknown>;
  close(): Promise<void>;
};

type Stored = { _id: string; organizationId: string; [field: string]: unknown };
/** A patient as the api reads it. */
type Read = { _id: string; clinicId: string; createdTime: Date; lastEditTime: Date; sealed: Binary };
const SEALED_FIELDS = { _id: 1, clinicId: 1, sealed: 1, createdTime: 1, lastEditTime: 1 };
const LIST_FIELDS = { _id: 1, clinicId: 1, name: 1, email: 1, phone: 1, language: 1, lastEditTime: 1 };
const LIST_LENGTH = 100;
const MAX_GROUP = 200;
const visible = { deletedAt: { $exists: false } };

const connect = (url: string): MongoClient =>
  new MongoClient(url, { maxPoolSize: 50, writeConcern: { w: 'majority', journal: true } });

/**
 * Does the work of the api in MongoDB and Redis, in the same groups, and encrypts and decrypts the same values, without
 * HTTP, authentication and validation.
 */
export const openSameWork = async (ground: Ground): Promise<Calls> => {
  const client = connect(ground.mongodbUrl);
  const database = client.db();
  const patients = database.collection<Stored>('patients');
  const { organizationId, clinicId } = ground;
  // The keys of the organization are read once, as in the api.
  const store = openWholeStore({
    url: ground.mongodbUrl,
    encryptionKeys: ground.encryptionKeys,
    appName: 'chairside-bench',
  });
  const cipher = await store.ciphers.of(organizationId);
  const opened = ({ sealed, ...fields }: Read) => ({
    ...fields,
    ...JSON.parse(cipher.open(sealed, { collection: 'patients', _id: fields._id, field: 'sealed' })),
  });
  const redis = {
    url: ground.redisUrl,
    prefix: `${ground.redisPrefix}:floor`,
    onUnavailable() {},
    onAvailable() {},
  };
  const [producer, limiter] = [openEventProducer(redis), openRateLimiter(redis)];
  const limit = { calls: 10_000_000, seconds: 60 };
  const author = { principal: { kind: 'apiKey' as const, id: 'floor' }, requestId: 'floor' };

  const audit = batched<Stored, void>(async (entries) => {
    await database.collection<Stored>('auditEntries').insertMany(entries, { ordered: false });
    return [];
  }, MAX_GROUP);
  const insert = batched<Stored, void>(
    async (records) => {
      await patients.insertMany(records, { ordered: false });
      return [];
    },
    MAX_GROUP,
    { atOnce: 2 },
  );
  const entryOf = (action: string, ids: string[]): Stored => {
    const time = new Date();
    const expireAt = new Date(time.getTime() + 86_400_000);
    return {
      _id: newId(time),
      organizationId,
      time,
      action,
      ...author,
      kind: 'patient',
      ids,
      result: 'ok',
      expireAt,
    };
  };

  return {
    async get(id) {
      await limiter.take('key', limit);
      const found = await patients.findOne<Read>(
        { organizationId, _id: id, ...visible },
        { projection: SEALED_FIELDS },
      );
      await audit(entryOf('read', [id]));
      return JSON.stringify(found && opened(found));
    },
    async list() {
      await limiter.take('key', limit);
      const found = await patients
        .find<Read>(
          { organizationId, clinicId, ...visible },
          { projection: SEALED_FIELDS, sort: { _id: 1 }, limit: LIST_LENGTH + 1 },
        )
        .toArray();
      const page = found.slice(0, LIST_LENGTH).map(opened);
      await audit(
        entryOf(
          'listed',
          page.map(({ _id }) => _id),
        ),
      );
      return JSON.stringify(page);
    },
    async create() {
      await limiter.take('key', limit);
      const time = new Date();
      const record = {
        _id: newId(time),
        ...patientFields(ground.createClinicId),
        createdTime: time.toISOString(),
        lastEditTime: time.toISOString(),
      };
      const event = newEvent({ _id: newId(time), event: 'patient.created', time, author }, record);
      const outbox = [sealedEvent(event, cipher)];
      const stored = {
        ...record,
        organizationId,
        createdTime: time,
        lastEditTime: time,
        revision: 1,
        outbox,
        outboxAt: time,
      };
      await insert(sealedDocument('patients', stored, cipher));
      producer.publish({
        organizationId,
        kind: 'patient',
        recordId: record._id,
        eventId: event._id,
        clinicIds: event.clinicIds,
      });
      return JSON.stringify(record);
    },
    async close() {
      await Promise.all([producer.close(), limiter.close(), client.close(), store.close()]);
    },
  };
};

type Serve = (ground: Ground, port: number) => Promise<void>;

/** The same work behind Node's own HTTP server, with the minimum of parsing and writing. */
const serveSameWork: Serve = async (ground, port) => {
  const calls = await openSameWork(ground);
  const respondTo = async (request: IncomingMessage): Promise<unknown> => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost');
    if (request.method === 'POST') {
      JSON.parse(await text(request));
      return calls.create();
    }
    return searchParams.has('clinicId')
      ? calls.list()
      : calls.get(pathname.slice(pathname.lastIndexOf('/') + 1));
  };
  const server = createServer(async (request, response) => {
    const body = await respondTo(request);
    response.setHeader('content-type', 'application/json; charset=utf-8').end(body);
  });
  server.listen(port, '127.0.0.1');
};

/** The patients of the bare server, as text. */
const bareIn = (database: Db) => database.collection<Stored>('barePatients');

/** Stores the patients of the bare server, with the indexes by which it reads them. */
export const plantBare = async (
  database: Db,
  { organizationId, clinicId, patientIds }: Pick<Ground, 'organizationId' | 'clinicId' | 'patientIds'>,
): Promise<void> => {
  const patients = bareIn(database);
  await patients.createIndexes([
    { key: { organizationId: 1, _id: 1 } },
    { key: { organizationId: 1, clinicId: 1, _id: 1 } },
  ]);
  const fields = { ...patientFields(clinicId), lastEditTime: new Date(), revision: 1 };
  await patients.insertMany(patientIds.map((_id) => ({ _id, organizationId, ...fields })));
};

/** A server with only Fastify and the driver, without the other features of the api. */
const serveBare: Serve = async (ground, port) => {
  const patients = bareIn(connect(ground.mongodbUrl).db());
  const { organizationId, clinicId } = ground;
  const app = Fastify();
  app.get<{ Params: { id: string } }>('/api/patients/:id', ({ params }) =>
    patients.findOne({ organizationId, _id: params.id }, { projection: LIST_FIELDS }),
  );
  app.get('/api/patients', () =>
    patients
      .find({ organizationId, clinicId }, { projection: LIST_FIELDS, sort: { _id: 1 }, limit: LIST_LENGTH })
      .toArray(),
  );
  app.post('/api/patients', async ({ body }) => {
    const record = {
      _id: newId(),
      organizationId,
      ...(body as object),
      lastEditTime: new Date(),
      revision: 1,
    };
    await patients.insertOne(record);
    return record;
  });
  await app.listen({ host: '127.0.0.1', port });
};

/** The floors that run as servers, by name. */
export const servers: Readonly<Record<string, Serve>> = {
  bare: serveBare,
  'same work over HTTP': serveSameWork,
};
