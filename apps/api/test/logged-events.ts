import { type EventName, newEvent, newId, type RecordKind } from '@chairside/domain';
import type { Practice } from '@chairside/test-support';
import type { TestApi } from './api.ts';

/**
 * Enters events into the log as the dispatcher does, and sets their time of entry, which is ten seconds ago by default.
 *
 * @returns their ids
 */
export const logEvents = async (
  { store, database }: Pick<TestApi, 'store' | 'database'>,
  { organizationId, clinicIds: [clinicId] }: Practice,
  names: readonly EventName[],
  insertedAt = new Date(Date.now() - 10_000),
): Promise<string[]> => {
  const made = names.map((event) => {
    const author = { principal: { kind: 'system' as const, id: 'test' }, requestId: 'r' };
    const _id = newId();
    return {
      ...newEvent({ _id, event, time: new Date(), author }, { clinicId }),
      organizationId,
      kind: event.split('.')[0] as RecordKind,
      recordId: 'record',
    };
  });
  await store.everyOrganization.events.enter(made);
  const ids = made.map(({ _id }) => _id);
  await database.collection('events').updateMany({ _id: { $in: ids } }, { $set: { insertedAt } });
  return ids;
};
