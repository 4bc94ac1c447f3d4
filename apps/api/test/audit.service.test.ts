import { newEvent, newId } from '@chairside/domain';
import { sealedEvent } from '@chairside/test-support';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ApiResponse, openTestApi, type TestApi } from './api.ts';
import { recordOf } from './logged-events.ts';

// audit-every-route.service.test.ts checks the entries of each route about patients.

let api: TestApi;
let patientId: string;

beforeAll(async () => {
  api = await openTestApi();
  const [clinicId] = api.practice.clinicIds;
  patientId = (await api.call('POST', '/api/patients', { body: { clinicId } })).json._id;
});
afterAll(() => api.close());

const entriesOf = (response: ApiResponse) =>
  api.database
    .collection('auditEntries')
    .find({ requestId: response.headers.get('x-request-id') }, { sort: { part: 1 } })
    .toArray();

/** Makes the database refuse audit entries like this one, with a stored entry and a unique index. */
const withRefusedEntries = async (like: object, work: () => Promise<void>): Promise<void> => {
  const entries = api.database.collection('auditEntries');
  await entries.deleteMany(like);
  const name = await entries.createIndex(
    { kind: 1 },
    { unique: true, name: 'refusing', partialFilterExpression: like },
  );
  await entries.insertOne({ _id: newId(), kind: 'patient', ...like });
  try {
    await work();
  } finally {
    await entries.dropIndex(name);
  }
};

describe('reads of records about patients', () => {
  test('leave an entry that is kept for six years', async () => {
    const [entry] = await entriesOf(await api.call('GET', `/api/patients/${patientId}`));
    expect((entry?.expireAt - entry?.time) / 86_400_000).toBe(2190);
  });

  test('leave an entry for an empty list, but none for a refusal, a missing record or a clinic', async () => {
    const nothing = await api.call('GET', '/api/patients?email=nobody@example.com');
    expect(await entriesOf(nothing)).toMatchObject([{ action: 'listed', ids: [] }]);
    for (const path of ['/api/patients/missing', '/api/patients?clinic=1', '/api/clinics']) {
      expect(await entriesOf(await api.call('GET', path))).toEqual([]);
    }
  });

  test('leave an entry for each kind of record in the event log', async () => {
    const author = { principal: { kind: 'system' as const, id: 'test' }, requestId: 'planted' };
    const [clinicId] = api.practice.clinicIds;
    const time = new Date(Date.now() - 60_000);
    const planted = (['patient.created', 'patient.updated', 'invoice.paid'] as const).map((event) => ({
      ...newEvent({ _id: newId(time), event, time, author }, recordOf(event, clinicId)),
      organizationId: api.practice.organizationId,
      kind: event.split('.')[0] as 'patient' | 'invoice',
      recordId: event === 'invoice.paid' ? 'an-invoice' : 'a-patient',
    }));
    const cipher = await api.store.ciphers.of(api.practice.organizationId);
    await api.store.everyOrganization.events.enter(planted.map((event) => sealedEvent(event, cipher)));
    await api.database
      .collection('events')
      .updateMany({ _id: { $in: planted.map(({ _id }) => _id) } }, { $set: { insertedAt: time } });
    const response = await api.call('GET', '/api/events');
    expect(response.json).toHaveLength(3);
    const entries = await entriesOf(response);
    expect(entries.map(({ action, kind, ids }) => ({ action, kind, ids }))).toEqual(
      expect.arrayContaining([
        { action: 'events_read', kind: 'patient', ids: ['a-patient'] },
        { action: 'events_read', kind: 'invoice', ids: ['an-invoice'] },
      ]),
    );
    expect(entries).toHaveLength(2);
  });

  test('fail if their entry cannot be stored', async () => {
    await withRefusedEntries({ action: 'read' }, async () => {
      const refused = await api.call('GET', `/api/patients/${patientId}`);
      expect(refused.status).toBe(500);
      expect(refused.json.details.requestId).toEqual(expect.any(String));
      expect(refused.text).not.toContain(patientId);
    });
  });
});

describe('a long list', () => {
  const ROWS = 2500;
  beforeAll(async () => {
    const now = new Date();
    await api.database.collection('payments').insertMany(
      Array.from({ length: ROWS }, (_, index) => ({
        _id: `long-${String(index).padStart(5, '0')}`,
        organizationId: api.practice.organizationId,
        clinicId: api.practice.clinicIds[1],
        patientId: 'p',
        amount: 1,
        currency: 'EUR',
        method: 'CARD',
        status: 'COMPLETED',
        creationTime: now,
        lastEditTime: now,
        revision: 1,
      })),
    );
  });
  const list = () => api.call('GET', `/api/payments?clinicId=${api.practice.clinicIds[1]}&fields=_id`);

  test('leaves numbered entries of at most a thousand ids, which together contain the returned ids', async () => {
    const response = await list();
    const entries = await entriesOf(response);
    expect(entries.map(({ part }) => part)).toEqual(entries.map((_, index) => index + 1));
    expect(Math.max(...entries.map(({ ids }) => ids.length))).toBe(1000);
    expect(entries.flatMap(({ ids }) => ids)).toEqual(response.json.map(({ _id }: { _id: string }) => _id));
    expect(response.json).toHaveLength(ROWS);
  });

  test('breaks where an entry cannot be stored, and sends no row without an entry', async () => {
    await withRefusedEntries({ kind: 'payment', part: 2 }, async () => {
      const response = await fetch(
        `${api.url}/api/payments?clinicId=${api.practice.clinicIds[1]}&fields=_id`,
        {
          headers: { authorization: `Basic ${Buffer.from(api.practice.apiKey).toString('base64')}` },
        },
      );
      let received = '';
      const reading = (async () => {
        for await (const chunk of response.body ?? []) received += Buffer.from(chunk).toString();
      })();
      await expect(reading).rejects.toThrow();
      expect(() => JSON.parse(received)).toThrow();
      const stored = await api.database
        .collection('auditEntries')
        .find({ requestId: response.headers.get('x-request-id') })
        .toArray();
      expect(stored).toHaveLength(1);
      const ids = new Set(stored.flatMap((entry) => entry.ids));
      const left = received.match(/long-\d{5}/g) ?? [];
      expect(left.filter((id) => !ids.has(id))).toEqual([]);
    });
  });
});
