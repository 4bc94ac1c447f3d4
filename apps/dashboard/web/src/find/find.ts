import type { QueryClient } from '@tanstack/react-query';
import { api } from '../api/client.ts';
import { exists } from '../api/exists.ts';
import { UnusableInput } from '../api/problems.ts';
import { isId } from '../components/lists/id.ts';
import { deliveryQuery, hasDeliveries } from '../deliveries/requests.ts';
import { eventQuery } from '../events/requests.ts';
import { type Kind, RECORD_KINDS } from '../records/kinds.ts';
import { hasRecord, withExternalId } from '../records/record.ts';
import { withPrompts } from '../session/prompts.ts';
import type { Role } from '../session/session.ts';

/** The thing that an id refers to. */
export type Found = { kind: 'delivery' | 'event' | 'request' | 'audited request' | Kind; id: string };

const hasEntries = async (requestId: string): Promise<boolean> => {
  const page = await withPrompts(() => api.auditEntries.list({ requestId }, { pageSize: 1 }).page());
  return page.data.length > 0;
};

/**
 * Finds the delivery, event, record or request that an id refers to, or the record that has it as its external id. The page
 * that shows a delivery, an event or a record does not read it again, so one read leaves one audit entry.
 *
 * @param role staff find events and records only
 * @throws {UnusableInput} if nothing has this id
 * @throws {ChairsideError}
 */
export const findAnything = async (queries: QueryClient, id: string, role: Role): Promise<Found> => {
  type Try = readonly [kind: Found['kind'], isThere: () => Promise<boolean>];
  const forEverybody: Try[] = [
    ['event', () => exists(queries.fetchQuery(eventQuery(id)))],
    ...RECORD_KINDS.map((kind): Try => [kind, () => hasRecord(queries, kind, id)]),
  ];
  const tries: Try[] =
    role === 'staff'
      ? forEverybody
      : [
          ['delivery', () => exists(queries.fetchQuery(deliveryQuery(id)))],
          ...forEverybody,
          ['request', () => hasDeliveries({ requestId: id })],
          ['audited request', () => hasEntries(id)],
        ];
  if (isId(id)) for (const [kind, isThere] of tries) if (await isThere()) return { kind, id };
  for (const kind of RECORD_KINDS) {
    const found = await withExternalId(kind, id);
    if (found !== undefined) return { kind, id: found };
  }
  throw new UnusableInput('Nothing has this id, or it was deleted.');
};
