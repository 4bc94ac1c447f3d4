import { describe, expect, it, vi } from 'vitest';
import { createStub, failure, inOrder, networkError, type Reply, type Seen } from './stub.ts';

const record = (revision: number, fields: object): Reply => ({
  headers: { etag: `"${revision}"` },
  body: { _id: 'a', ...fields },
});
const changed = failure(412, 'PreconditionFailed');
const summary = ({ method, body, init }: Seen) => [method, body, init.headers['if-match']];

describe('an edit', () => {
  it('writes the changes only if the record still has the version that was read', async () => {
    const { client, seen } = createStub(inOrder(record(3, { name: 'Ada' }), record(4, { name: 'Dr. Ada' })));
    const edited = await client.patients.edit('a', ({ name }) => ({ name: `Dr. ${name}` }));
    expect(edited).toMatchObject({ name: 'Dr. Ada' });
    expect(seen.map(summary)).toEqual([
      ['GET', undefined, undefined],
      ['PUT', { name: 'Dr. Ada' }, '"3"'],
    ]);
  });

  it('starts again if another caller has changed the record', async () => {
    const { client, seen, waits } = createStub(
      inOrder(record(3, { name: 'A' }), changed, record(4, { name: 'B' }), record(5, { name: 'Dr. B' })),
    );
    const change = vi.fn(async ({ name }: { name?: string }) => ({ name: `Dr. ${name}` }));
    expect(await client.patients.edit('a', change)).toMatchObject({ name: 'Dr. B' });
    expect(change).toHaveBeenCalledTimes(2);
    expect(seen.map(summary).at(-1)).toEqual(['PUT', { name: 'Dr. B' }, '"4"']);
    expect(waits).toEqual([50]);
  });

  it('gives up after five times, or after the number in its options', async () => {
    const { client, seen } = createStub(({ method }) => (method === 'GET' ? record(1, {}) : changed));
    await expect(client.patients.edit('a', () => ({ name: 'n' }))).rejects.toMatchObject({ status: 412 });
    expect(seen).toHaveLength(10);
    await expect(client.patients.edit('a', () => ({ name: 'n' }), { maxAttempts: 2 })).rejects.toThrow('412');
    expect(seen).toHaveLength(14);
  });

  it('leaves the record as it is if there is nothing to change', async () => {
    const { client, seen } = createStub(inOrder(record(3, { name: 'Ada' })));
    expect(await client.patients.edit('a', () => undefined)).toMatchObject({ name: 'Ada' });
    expect(seen).toHaveLength(1);
  });

  it('passes on every other failure, and the errors of its function', async () => {
    const { client } = createStub(({ method }) =>
      method === 'GET' ? record(1, {}) : failure(400, 'ValidationError'),
    );
    await expect(client.patients.edit('a', () => ({ name: 'n' }))).rejects.toMatchObject({ status: 400 });
    const thrown = new Error('mine');
    const change = () => {
      throw thrown;
    };
    await expect(client.patients.edit('a', change)).rejects.toBe(thrown);
  });
});

describe('an edit whose response was lost', () => {
  it('is compared with the changes that it may have written, and not with earlier changes', async () => {
    const { client } = createStub(
      inOrder(
        ...[record(3, { name: 'a' }), networkError('ECONNRESET'), changed],
        ...[record(4, { name: 'b' }), changed],
        ...[record(5, { name: 'a!' }), record(6, { name: 'a!!' })],
      ),
    );
    expect(await client.patients.edit('a', ({ name }) => ({ name: `${name}!` }))).toMatchObject({
      name: 'a!!',
    });
  });

  it.each([
    ['a text', { name: 'n' }, { name: 'n', phone: '1' }],
    ['a cleared field', { phone: null }, { name: 'n' }],
    [
      'a time in another zone',
      { startTime: '2030-01-31T10:30:00+01:00' },
      { startTime: '2030-01-31T09:30:00.000Z' },
    ],
    [
      'entries that got an id',
      { procedures: [{ procedureId: 'p' }] },
      { procedures: [{ _id: 'x', procedureId: 'p' }] },
    ],
    [
      'what the server sets',
      { name: 'n', lastEditTime: '2030-01-31T00:00:00Z' },
      { name: 'n', lastEditTime: 'later' },
    ],
  ])('is not written twice if the record shows the change: %s', async (_, changes, then) => {
    const { client, seen } = createStub(
      inOrder(record(3, {}), networkError('ECONNRESET'), changed, record(4, then)),
    );
    const change = vi.fn(() => changes as object);
    expect(await client.appointments.edit('a', change)).toMatchObject(then);
    expect(change).toHaveBeenCalledTimes(1);
    expect(seen.map(({ method }) => method)).toEqual(['GET', 'PUT', 'PUT', 'GET']);
  });

  it.each([
    ['another text', { name: 'n' }, { name: 'm' }],
    ['a field that is still there', { phone: null }, { phone: '1' }],
    ['an entry more', { procedures: [{ procedureId: 'p' }] }, { procedures: [{ procedureId: 'p' }, {}] }],
    ['another time', { startTime: '2030-01-31T10:30:00Z' }, { startTime: '2030-01-31T09:30:00.000Z' }],
  ])('is written again if the record does not show the change: %s', async (_, changes, then) => {
    const { client } = createStub(
      inOrder(record(3, {}), failure(503, 'ServiceUnavailable'), changed, record(4, then), record(5, {})),
    );
    const change = vi.fn(() => changes as object);
    await client.appointments.edit('a', change);
    expect(change).toHaveBeenCalledTimes(2);
  });

  it('is looked for also after the last attempt', async () => {
    const lost = [record(3, { name: 'a' }), networkError('ECONNRESET'), changed];
    const { client, seen } = createStub(inOrder(...lost, record(4, { name: 'n' })));
    const edited = client.patients.edit('a', () => ({ name: 'n' }), { maxAttempts: 1 });
    await expect(edited).resolves.toMatchObject({ name: 'n' });
    expect(seen.map(({ method }) => method)).toEqual(['GET', 'PUT', 'PUT', 'GET']);
    const other = createStub(inOrder(...lost, record(4, { name: 'b' })));
    const refused = other.client.patients.edit('a', () => ({ name: 'n' }), { maxAttempts: 1 });
    await expect(refused).rejects.toMatchObject({ status: 412 });
    expect(other.seen).toHaveLength(4);
  });
});
