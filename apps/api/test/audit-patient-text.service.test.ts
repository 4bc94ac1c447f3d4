import {
  appointmentCreateSchema,
  appointmentSchema,
  type EventName,
  invoiceSchema,
  keptHeaders,
  newId,
  patientCreateSchema,
  patientSchema,
  paymentSchema,
  treatmentSchema,
} from '@chairside/domain';
import { quickPasswords } from '@chairside/test-support';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { type ApiResponse, openTestApi, type TestApi } from './api.ts';
import { endDeliveries } from './ended-deliveries.ts';
import { logEvents } from './logged-events.ts';
import { openSuccessfulCalls, type SuccessfulCalls } from './successful-calls.ts';

/*
 * Every text that the service stores of a patient is a marker here: each text field of each kind of record, of events,
 * and what receivers have responded, which may contain what they were sent. The fields come from the schemas. Then every
 * route of the api is called. Each response with a marker must have left an audit entry, wherever the marker was stored.
 */

const time = new Date().toISOString();
/** The markers that are stored. */
const markers = new Set<string>();

type JsonSchema = {
  $ref?: string;
  $defs?: Record<string, JsonSchema>;
  const?: unknown;
  enum?: unknown[];
  anyOf?: JsonSchema[];
  type?: string;
  format?: string;
  pattern?: string;
  properties?: Record<string, JsonSchema>;
  additionalProperties?: JsonSchema | boolean;
  items?: JsonSchema;
};

/** The named schemas that others refer to. */
const DEFINITIONS: Record<string, JsonSchema> = {};

/** A text of the schema: a marker if it may be any text. */
const textOf = ({ format, pattern = '' }: JsonSchema, place: string): string => {
  if (format === 'date-time') return time;
  const marker = `marker-${place}`.toLowerCase();
  const texts = [...(format === 'email' ? [] : [marker]), `${marker}@example.com`, 'EUR', '11'];
  const text = texts.find((each) => new RegExp(pattern, 'u').test(each));
  if (text === undefined) throw new Error(`no text for ${place} matches ${pattern}`);
  if (text.startsWith(marker)) markers.add(marker);
  return text;
};

/**
 * A value of the schema with a marker in each text.
 *
 * @param place names the value in the markers
 * @param given values of fields, by their name
 */
const filledOf = (schema: JsonSchema, place: string, given: Record<string, unknown>): unknown => {
  const { $ref } = schema;
  if ($ref !== undefined) return filledOf(DEFINITIONS[$ref.replace('#/$defs/', '')] ?? {}, place, given);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.enum[0];
  const { anyOf } = schema;
  if (anyOf !== undefined) {
    const [first] = [
      anyOf.find(({ type, enum: names }) => type === 'string' && names === undefined),
      ...anyOf,
    ].filter((each) => each !== undefined);
    return filledOf(first as JsonSchema, place, given);
  }
  switch (schema.type) {
    case 'string':
      return textOf(schema, place);
    case 'number':
    case 'integer':
      return 1;
    case 'array':
      return [filledOf(schema.items ?? {}, place, given)];
    case 'object': {
      const fields = Object.entries(schema.properties ?? {}).map(([name, field]) => [
        name,
        name in given
          ? given[name]
          : /^_id$|(?<!xternal)Id$/.test(name)
            ? newId()
            : filledOf(field, `${place}-${name}`, given),
      ]);
      // The keys of a free object are texts, too.
      const free = typeof schema.additionalProperties === 'object' ? textOf({}, place) : undefined;
      return { ...Object.fromEntries(fields), ...(free !== undefined && { [free]: free }) };
    }
    default:
      throw new Error(`${place} has no type that this test knows: ${JSON.stringify(schema)}`);
  }
};
const markedOf = <S extends z.ZodType>(schema: S, place: string, given: Record<string, unknown> = {}) => {
  const json = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonSchema;
  Object.assign(DEFINITIONS, json.$defs);
  return filledOf(json, place, given) as z.input<S> & object;
};

/** What receivers respond with: a receiver may return what it was sent. */
const RESPONSE = {
  responseBody: textOf({}, 'delivery-body'),
  responseHeaders: Object.fromEntries(keptHeaders.map((name) => [name, textOf({}, `delivery-${name}`)])),
};

let api: TestApi;
let calls: SuccessfulCalls;
beforeAll(async () => {
  api = await openTestApi([], [], { passwords: quickPasswords });
  const { store, clinicIds } = api.practice;
  const [clinicId] = clinicIds;
  const patient = markedOf(patientCreateSchema, 'patient', { clinicId });
  const { json } = await api.call('POST', '/api/patients', { body: { ...patient, externalId: 'pms:1' } });
  const times = { startTime: '2031-01-06T09:00:00.000Z', endTime: '2031-01-06T10:00:00.000Z' };
  const ofPatient = { clinicId, patientId: json._id, ...times };
  const appointment = markedOf(appointmentCreateSchema, 'appointment', {
    ...ofPatient,
    providerId: undefined,
    patientExternalId: undefined,
    externalId: patient.externalId,
  });
  const [invoice, payment, treatment] = [
    markedOf(invoiceSchema, 'invoice', ofPatient),
    markedOf(paymentSchema, 'payment', ofPatient),
    markedOf(treatmentSchema, 'treatment', ofPatient),
  ];
  await store.invoices.create(invoiceSchema.parse(invoice));
  await store.payments.create(paymentSchema.parse(payment));
  await store.treatments.create(treatmentSchema.parse(treatment));
  const SCHEMAS = {
    patient: patientSchema,
    appointment: appointmentSchema,
    invoice: invoiceSchema,
    payment: paymentSchema,
  };
  const names: EventName[] = ['patient.updated', 'appointment.created', 'invoice.created', 'payment.created'];
  const logged = await logEvents(api, api.practice, names, undefined, (event) => {
    const kind = event.split('.')[0] as keyof typeof SCHEMAS;
    return markedOf(SCHEMAS[kind], `event-${kind}`, ofPatient);
  });
  const ids = {
    invoiceId: invoice._id,
    paymentId: payment._id,
    treatmentId: treatment._id,
    eventId: logged[0] ?? '',
  };
  calls = await openSuccessfulCalls(api, { patient, appointment, ids, response: RESPONSE });
});
afterAll(() => api.close());

/** The routes whose responses contain texts of patients. The markers decide. */
const WITH_TEXT = [
  'DELETE /api/appointments/:appointmentId',
  'DELETE /api/patients/:patientId',
  'GET /api/appointments',
  'GET /api/appointments/:appointmentId',
  'GET /api/appointments/external/:externalId',
  'GET /api/events',
  'GET /api/events/:eventId',
  'GET /api/invoices',
  'GET /api/invoices/:invoiceId',
  'GET /api/patients',
  'GET /api/patients/:patientId',
  'GET /api/patients/:patientId/export',
  'GET /api/patients/external/:externalId',
  'GET /api/payments',
  'GET /api/payments/:paymentId',
  'GET /api/treatments',
  'GET /api/treatments/:treatmentId',
  'GET /api/webhookdeliveries/:webhookDeliveryId',
  'POST /api/appointments',
  'POST /api/appointments, repeated',
  'POST /api/batch',
  'POST /api/batch, repeated',
  'POST /api/patients',
  'POST /api/patients, repeated',
  'POST /api/patients/search',
  'POST /api/webhookdeliveries/:webhookDeliveryId/redeliver, repeated',
  'PUT /api/appointments/:appointmentId',
  'PUT /api/appointments/external/:externalId',
  'PUT /api/appointments/external/:externalId, repeated',
  'PUT /api/patients/:patientId',
  'PUT /api/patients/external/:externalId',
  'PUT /api/patients/external/:externalId, repeated',
];

/** Whether the request has left an audit entry, or the event of a write, from which the dispatcher makes the entry. */
const isAudited = async ({ headers }: ApiResponse): Promise<boolean> => {
  const requestId = headers.get('x-request-id') ?? '';
  if ((await api.database.collection('auditEntries').countDocuments({ requestId, result: 'ok' })) > 0)
    return true;
  const written = await Promise.all(
    ['patients', 'appointments'].map((name) =>
      api.database.collection(name).countDocuments({ 'outbox.requestId': requestId }),
    ),
  );
  return written.some((count) => count > 0);
};

test('each response with a text of a patient has left an audit entry', async () => {
  // Reads come first, because writes replace texts.
  const routes = api.app.routeList
    .filter(({ method, access }) => method !== 'HEAD' && access !== 'public')
    .toSorted((one, other) => Number(other.method === 'GET') - Number(one.method === 'GET'));
  const [unaudited, withText] = [new Set<string>(), new Set<string>()];
  const seen = new Set<string>();
  const examine = async (route: string, response: ApiResponse): Promise<void> => {
    expect({ route, status: response.status, text: response.text }).toMatchObject({ route, status: 200 });
    const shown = [...markers].filter((marker) => response.text.includes(marker));
    for (const marker of shown) seen.add(marker);
    if (shown.length === 0) return;
    withText.add(route);
    if (!(await isAudited(response))) unaudited.add(route);
  };
  for (const { method, url } of routes) {
    const call = await calls.prepare(method, url);
    await examine(`${method} ${url}`, await call());
    if (
      !/^POST \/api\/(patients|appointments|batch)$|\/redeliver$|^PUT .*\/external\//.test(`${method} ${url}`)
    )
      continue;
    // A repeated request returns what exists by now, with what the receiver has responded.
    await endDeliveries(api, RESPONSE);
    await examine(`${method} ${url}, repeated`, await call());
  }
  expect([...unaudited]).toEqual([]);
  // Otherwise the test would pass although a route or a field is missing.
  expect([...markers].filter((marker) => !seen.has(marker))).toEqual([]);
  expect([...withText].toSorted()).toEqual(WITH_TEXT);
});
