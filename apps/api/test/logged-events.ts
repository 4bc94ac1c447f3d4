import { type EventName, newEvent, newId, type RecordKind } from '@chairside/domain';
import { type Practice, sealedEvent } from '@chairside/test-support';
import type { TestApi } from './api.ts';

const time = '2030-01-31T09:30:00.000Z';

/** The record of an event, as small as its schema allows. */
export const recordOf = (event: EventName, clinicId: string) => {
  const common = { _id: 'record', clinicId, lastEditTime: time };
  const paid = { ...common, patientId: 'patient', currency: 'EUR', creationTime: time };
  switch (event.split('.')[0]) {
    case 'appointment':
      return { ...common, status: 'REQUESTED', procedures: [], reminders: [], createdTime: time };
    case 'invoice':
      return { ...paid, number: 7, total: 12.5, status: 'OPEN' };
    case 'payment':
      return { ...paid, amount: 12.5, method: 'CARD', status: 'COMPLETED' };
    default:
      return { ...common, createdTime: time };
  }
};

/**
 * Enters events into the log as the dispatcher does, and sets their time of entry, which is ten seconds ago by default.
 *
 * @param of the record of an event
 * @returns their ids
 */
export const logEvents = async (
  { store, database }: Pick<TestApi, 'store' | 'database'>,
  { organizationId, clinicIds: [clinicId] }: Practice,
  names: readonly EventName[],
  insertedAt = new Date(Date.now() - 10_000),
  of: (event: EventName, clinicId: string) => { clinicId: string } = recordOf,
): Promise<string[]> => {
  const made = names.map((event) => {
    const author = { principal: { kind: 'system' as const, id: 'test' }, requestId: 'r' };
    const _id = newId();
    return {
      ...newEvent({ _id, event, time: new Date(), author }, of(event, clinicId)),
      organizationId,
      kind: event.split('.')[0] as RecordKind,
      recordId: 'record',
    };
  });
  const cipher = await store.ciphers.of(organizationId);
  await store.everyOrganization.events.enter(made.map((event) => sealedEvent(event, cipher)));
  const ids = made.map(({ _id }) => _id);
  await database.collection('events').updateMany({ _id: { $in: ids } }, { $set: { insertedAt } });
  return ids;
};
