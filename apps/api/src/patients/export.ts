import {
  type AuditEntry,
  appointmentSchema,
  eventNames,
  invoiceSchema,
  MAX_AUDITED_IDS,
  notFound,
  type Patient,
  type PatientRead,
  patientExportSchema,
  patientReadSchema,
  patientSchema,
  paymentSchema,
  type RecordKind,
  readActions,
  treatmentSchema,
} from '@chairside/domain';
import { closedSignal, disconnected } from '@chairside/http-server';
import type {
  LoggedEvent,
  OrganizationStore,
  PageRow,
  Position,
  RecordFilter,
  RecordReader,
  TimePosition,
} from '@chairside/mongodb';
import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { auditRead } from '../audit/record-reads.ts';
import type { App, Dependencies } from '../context.ts';
import { pathId } from '../http/path-id.ts';
import { PRINCIPAL_LIFE_MS } from '../http/principal-cache.ts';
import { serializerOf } from '../http/serialization.ts';
import { MAX_CHUNK, sendChunks, sendHeadOfList } from '../lists/streamed-list.ts';
import { eventText } from '../records/event-text.ts';
import { openExportTurns } from './export-turns.ts';

/** The number of rows in one read. A batch stays in memory while the reader is slow. */
const PAGE = 200;

/** The records of a patient, in the order of the export. */
const RECORDS = [
  { name: 'appointments', kind: 'appointment', schema: appointmentSchema },
  { name: 'invoices', kind: 'invoice', schema: invoiceSchema },
  { name: 'payments', kind: 'payment', schema: paymentSchema },
  { name: 'treatments', kind: 'treatment', schema: treatmentSchema },
].map(({ schema, ...rest }) => ({ ...rest, stringify: serializerOf(schema as z.ZodType) })) as readonly {
  name: 'appointments' | 'invoices' | 'payments' | 'treatments';
  kind: RecordKind;
  stringify(record: object): string;
}[];
const patientText = serializerOf(patientSchema);
const readText = serializerOf(patientReadSchema);

/**
 * Reads all pages of a list.
 *
 * @param read reads at most `PAGE` rows after a position
 * @param positionOf the position of a row
 * @param stoppedAt where a page that has fewer rows stopped although the list may have more
 * @param signal ends the reading, with its reason
 */
async function* rowsOfPages<R, P>(
  read: (after: P | undefined) => AsyncIterable<R>,
  positionOf: (row: R) => P,
  signal: AbortSignal,
  stoppedAt: () => P | undefined = () => undefined,
): AsyncGenerator<R, void> {
  let after: P | undefined;
  for (;;) {
    let count = 0;
    for await (const row of read(after)) {
      yield row;
      after = positionOf(row);
      count++;
    }
    if (count < PAGE) {
      after = stoppedAt();
      if (after === undefined) return;
    }
    signal.throwIfAborted();
  }
}

const recordsOf = (
  records: RecordReader<{ _id: string }, RecordFilter>,
  patientId: string,
  signal: AbortSignal,
): AsyncIterable<PageRow<{ _id: string }>> =>
  rowsOfPages(
    (after: Position | undefined) => records.page({ patientId }, { limit: PAGE, after, signal }).rows,
    ({ position }) => position,
    signal,
  );

/** The events about a patient, by the same index as erasure (erase.ts), the oldest first. */
async function* eventsOf(
  { events }: OrganizationStore,
  patientId: string,
  signal: AbortSignal,
): AsyncGenerator<LoggedEvent, void> {
  const filter = { events: eventNames, patientId, until: await events.end() };
  yield* rowsOfPages(
    (after: TimePosition | undefined) => events.page(filter, { after, limit: PAGE }),
    ({ insertedAt: time, _id }) => ({ time, _id }),
    signal,
  );
}

/** The reads of a patient, the newest first. */
async function* readsOf(
  { audit }: OrganizationStore,
  patientId: string,
  signal: AbortSignal,
): AsyncGenerator<PatientRead, void> {
  const filter = { recordId: patientId, kind: ['patient' as const], action: readActions };
  let downTo: TimePosition | undefined;
  async function* page(before: TimePosition | undefined) {
    downTo = await audit.examinedTo(filter, before);
    yield* audit.page(filter, { before, downTo }, PAGE);
  }
  const positionOf = ({ time, _id }: AuditEntry) => ({ time: new Date(time), _id });
  yield* rowsOfPages(page, positionOf, signal, () => downTo) as AsyncIterable<AuditEntry & PatientRead>;
}

type Read = { action: 'exported' | 'events_read'; kind: RecordKind; id: string };

/** What is about to be sent and has no audit entry yet. */
const openTrail = (request: FastifyRequest) => {
  let pending: Read[] = [];
  return {
    note: (read: Read): void => void pending.push(read),
    isFull: (): boolean => pending.length >= MAX_AUDITED_IDS,
    /** Resolves when all that was noted has its entries: one for each action and kind. */
    async store(): Promise<void> {
      const noted = Map.groupBy(pending, ({ action, kind }) => `${action} ${kind}`);
      pending = [];
      await request.authorizeAgain(PRINCIPAL_LIFE_MS);
      await Promise.all(
        [...noted.values()].map((reads) => {
          const [{ action, kind }] = reads as [Read];
          return auditRead(request, { action, kind, ids: [...new Set(reads.map(({ id }) => id))] });
        }),
      );
    },
  };
};
type Trail = ReturnType<typeof openTrail>;

/** The JSON of an export in parts that are small. What a part tells has been noted in the trail. */
async function* textsOf(
  { store }: FastifyRequest,
  patient: Patient,
  trail: Trail,
  signal: AbortSignal,
): AsyncGenerator<string, void> {
  const { _id: patientId } = patient;
  async function* array<R>(name: string, rows: AsyncIterable<R>, stringify: (row: R) => string) {
    yield `,"${name}":[`;
    let separator = '';
    for await (const row of rows) {
      yield separator + stringify(row);
      separator = ',';
    }
    yield ']';
  }
  trail.note({ action: 'exported', kind: 'patient', id: patientId });
  yield `{"patient":${patientText(patient)}`;
  for (const { name, kind, stringify } of RECORDS)
    yield* array(name, recordsOf(store[name], patientId, signal), ({ record }) => {
      trail.note({ action: 'exported', kind, id: record._id });
      return stringify(record);
    });
  yield* array('events', eventsOf(store, patientId, signal), (event) => {
    trail.note({ action: 'events_read', kind: event.kind, id: event.recordId });
    return eventText(event);
  });
  // This export is among the reads.
  await trail.store();
  yield* array('reads', readsOf(store, patientId, signal), readText);
  yield '}';
}

/** The JSON of an export in chunks. Each is returned when the audit trail names what it tells. */
async function* chunksOf(
  request: FastifyRequest,
  patient: Patient,
  signal: AbortSignal,
): AsyncGenerator<Buffer, Buffer> {
  const trail = openTrail(request);
  let chunk: Buffer[] = [];
  let length = 0;
  for await (const text of textsOf(request, patient, trail, signal)) {
    const bytes = Buffer.from(text);
    if (length > 0 && (length + bytes.length > MAX_CHUNK || trail.isFull())) {
      await trail.store();
      yield Buffer.concat(chunk);
      chunk = [];
      length = 0;
    }
    chunk.push(bytes);
    length += bytes.length;
  }
  return Buffer.concat(chunk);
}

/** Registers the route that returns what is stored about one patient (GDPR, articles 15 and 20). */
export const patientExportRoute = (app: App, { limiter }: Pick<Dependencies, 'limiter'>): void => {
  const turns = openExportTurns(limiter);
  app.get(
    '/api/patients/:patientId/export',
    {
      config: { access: { role: 'administrator' } },
      schema: {
        tags: ['Patients'],
        operationId: 'exportPatient',
        summary: 'Export a patient',
        description:
          'Returns what is stored about one patient: the records as their own routes return them, the events of the last 30 days, and who has read the patient. Use it if a patient asks for a copy. The response is streamed. If the stream breaks, the received part is not valid JSON. An event is returned one to two seconds after the write. A deleted record is not returned, but its events are. `reads` has the reads of the patient itself; the audit log has those of the other records. The export leaves audit entries `exported` for the records, and `events_read` for the events. The limit is 60 an hour for an organization.',
        params: pathId('patientId'),
        response: { 200: patientExportSchema },
      },
    },
    async (request, reply) => {
      const found = await request.store.patients.find(request.params.patientId);
      if (found === undefined) throw notFound();
      const { record } = found;
      if (request.method === 'HEAD') {
        const ids = [record._id];
        await auditRead(request, { action: 'exported', kind: 'patient', ids, result: 'headers' });
        sendHeadOfList(reply);
        return reply;
      }
      await turns.begin(reply);
      const chunks = chunksOf(request, record, closedSignal(reply.raw, disconnected()));
      const inTurn = <R>(work: () => Promise<R>) => turns.read(reply, work);
      await sendChunks(reply, chunks, inTurn, inTurn);
      return reply;
    },
  );
};
