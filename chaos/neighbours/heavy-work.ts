import { MAX_REMINDERS, MAX_WRITES, newId, ROWS_OF_ORGANIZATION, weekdays } from '@chairside/domain';
import { oddText, oneOf } from './odd-texts.ts';
import type { Organization, Product } from './product.ts';

/*
 * Requests that cost the process much for what they are: texts that are long after normalization, in every text of every
 * route, and reads of as much as an organization may store.
 */

/** How many of the largest appointments are made: those that one batch has room for. */
const LARGE_RECORDS = 10;

/** A route of a server: its method and its path with ids filled in, and the body if it has one. */
export type Route = { method: string; path: string; body?: string };

type Schema = {
  $ref?: string;
  anyOf?: Schema[];
  type?: string | string[];
  maxLength?: number;
  enum?: unknown[];
  format?: string;
  examples?: unknown[];
  properties?: Record<string, Schema>;
};
/** What an operation of the OpenAPI document accepts. */
export type Operation = Route & { query: Record<string, Schema>; fields: Record<string, Schema> };

type Document = {
  paths: Record<
    string,
    Record<
      string,
      {
        parameters?: { name: string; in: string; schema: Schema }[];
        requestBody?: { content: Record<string, { schema: Schema }> };
      }
    >
  >;
  components: { schemas: Record<string, Schema> };
};

/** The operations of the api, from its OpenAPI document. */
export const apiOperations = async ({ urls, greedy: { practice } }: Product): Promise<Operation[]> => {
  const { paths, components } = (await (await fetch(`${urls.api}/openapi.json`)).json()) as Document;
  const resolved = (schema: Schema = {}): Schema => {
    const { $ref, anyOf } = schema;
    if ($ref !== undefined) return resolved(components.schemas[$ref.split('/').at(-1) ?? '']);
    return anyOf === undefined ? schema : resolved(anyOf[0]);
  };
  const [clinicId] = practice.clinicIds;
  return Object.entries(paths).flatMap(([template, item]) =>
    Object.entries(item)
      .filter(([method]) => ['get', 'put', 'post', 'delete'].includes(method))
      .map(([method, { parameters = [], requestBody }]) => ({
        method: method.toUpperCase(),
        path: template.replace('{clinicId}', clinicId).replace(/\{\w+\}/g, newId()),
        query: Object.fromEntries(
          parameters.filter((each) => each.in === 'query').map(({ name, schema }) => [name, schema]),
        ),
        fields: resolved(requestBody?.content['application/json']?.schema).properties ?? {},
      })),
  );
};

const isText = ({ type, enum: values, format }: Schema): boolean =>
  [type].flat().includes('string') && values === undefined && (format === undefined || format === 'email');

/** A request to a route, with an odd text in one of its texts. */
export const oddTextRoute = (
  operations: readonly Operation[],
  { practice: { clinicIds } }: Pick<Organization, 'practice'>,
): Route => {
  const { method, path, query, fields } = oneOf(operations);
  const texts = [...Object.entries(query), ...Object.entries(fields)].filter(([, schema]) => isText(schema));
  const [odd = '', schema = {}] = oneOf(texts) ?? [];
  const text = oddText(schema.maxLength ?? 1000);
  const body = Object.fromEntries(
    Object.entries(fields)
      .filter(([, { examples }]) => examples !== undefined)
      .map(([name, { examples }]) => [name, examples?.[0]]),
  );
  delete body.patientId;
  delete body.providerId;
  const search = odd in query ? `?${new URLSearchParams({ [odd]: text })}` : '';
  return {
    method,
    path: path + search,
    ...(method !== 'GET' && {
      body: JSON.stringify({
        ...body,
        ...('clinicId' in fields && { clinicId: clinicIds[0] }),
        ...(odd in fields && { [odd]: text }),
      }),
    }),
  };
};

const DAY_MS = 86_400_000;
const dayAfter = (days: number): string => new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10);
const momentAfter = (days: number): string => new Date(Date.now() + days * DAY_MS).toISOString();

const json = (method: string, path: string, body: object): Route => ({
  method,
  path,
  body: JSON.stringify(body),
});

/**
 * Batches with as many writes as one may have: new records, writes of one record, which wait for each other, and writes of the
 * largest records that change nothing. They have more writes than an organization may send in a minute. They are made in
 * advance, because making them computes, in the process that measures the neighbour.
 */
export const largestBatches = ({
  practice: { clinicIds },
}: Pick<Organization, 'practice'>): readonly Route[] => {
  const [clinicId] = clinicIds;
  const batchOf = (count: number, writeOf: (index: number) => object): Route =>
    json('POST', '/api/batch', {
      return: 'minimal',
      writes: Array.from({ length: count }, (_, i) => writeOf(i)),
    });
  const upsert = (kind: 'patient' | 'appointment', externalId: string, fields: object) => ({
    ...{ method: 'upsert', kind, externalId },
    body: { clinicId, ...fields },
  });
  const large = Array.from({ length: LARGE_RECORDS }, () => newId());
  const reminder = { values: Array.from({ length: 198 }, () => ({})), text: 'x'.repeat(3400) };
  const reminders = Array.from({ length: MAX_REMINDERS }, () => reminder);
  const kinds = [
    (base: string) => batchOf(MAX_WRITES, () => upsert('patient', base, { name: oddText(200) })),
    (base: string) => batchOf(MAX_WRITES, (i) => upsert('patient', `${base}${i}`, { name: oddText(200) })),
    () => batchOf(MAX_WRITES, (i) => upsert('appointment', large[i % LARGE_RECORDS] ?? '', {})),
  ];
  return [
    batchOf(LARGE_RECORDS, (i) => upsert('appointment', large[i] ?? '', { reminders })),
    ...Array.from({ length: Math.ceil(ROWS_OF_ORGANIZATION / MAX_WRITES) + 1 }, (_, number) =>
      (kinds[number % kinds.length] as (typeof kinds)[0])(`${newId()}${oddText(20)}`),
    ),
  ];
};

/** A request that reads as much as an organization may have, or that is refused because it has so much. */
export const largeReadRoute = ({ practice: { clinicIds } }: Pick<Organization, 'practice'>): Route => {
  const [clinicId] = clinicIds;
  const days = { from: dayAfter(1), to: dayAfter(31) };
  const search = new URLSearchParams({ clinicId, ...days, durationMinutes: '30' });
  const open = [{ opens: '00:00', closes: '24:00' }];
  const hours = {
    weekdays: Object.fromEntries(weekdays.map((day) => [day, open])),
    chairs: 100,
    slotMinutes: 5,
  };
  const whole = { clinicId, startTime: momentAfter(1), endTime: momentAfter(28) };
  const list = (path: string): Route => ({ method: 'GET', path: `${path}?limit=1000` });
  return oneOf<() => Route>([
    () => ({ method: 'GET', path: `/api/availability?${search}` }),
    () =>
      json('POST', `/api/clinics/${clinicId}/openinghours/preview`, { ...days, durationMinutes: 5, hours }),
    () => json('POST', '/api/appointments?onlyIfFree=true', whole),
    () => json('POST', '/api/calendarblocks', { ...whole, kind: 'BREAK' }),
    () =>
      json('POST', '/api/patients/search', { name: oneOf(['abc', 'شش', 'صلى', '山山', 'o h']), limit: 1000 }),
    () => list('/api/appointments'),
    () => list('/api/auditentries'),
    () => list('/api/calendarblocks'),
    () => list('/api/events'),
    () => list('/api/patients'),
    () => list('/api/webhookdeliveries'),
    () => ({ method: 'GET', path: '/api/servicestatus' }),
    () => ({ method: 'GET', path: '/api/webhookstatistics' }),
    () => ({ method: 'GET', path: '/api/webhooksubscriptions' }),
  ])();
};
