import type { WebhookDeliveryFilter } from '@chairside/client';
import type { QueryClient } from '@tanstack/react-query';
import { api } from '../api/client.ts';
import { UnusableInput } from '../api/problems.ts';
import { ID_HINT, isId } from '../components/lists/id.ts';
import { eventQuery } from '../event-log/requests.ts';
import { keptSince } from '../outcomes/period.ts';
import { type Kind, RECORD_KINDS } from '../record-kinds.ts';
import { withPrompts } from '../session/prompts.ts';
import type { Role } from '../session/session.ts';
import { deliveryQuery } from './delivery.ts';
import { exists, hasRecord, withExternalId } from './record.ts';

/** The thing that an id refers to. */
export type Found = { kind: 'delivery' | 'event' | 'request' | 'audited request' | Kind; id: string };

const hasDeliveries = async (filter: Record<string, string>): Promise<boolean> => {
  const list = () =>
    api.webhookDeliveries
      .list({ ...filter, since: keptSince() } as WebhookDeliveryFilter, { pageSize: 1 })
      .page();
  return (await withPrompts(list)).data.length > 0;
};

/**
 * Finds what the list of deliveries can show: a delivery or the deliveries of an event. Any other id is taken as the id
 * of a request.
 *
 * @throws {UnusableInput} if the text is no id
 * @throws {ChairsideError}
 */
export const findDeliveries = async (queries: QueryClient, id: string): Promise<Found> => {
  if (!isId(id)) throw new UnusableInput(ID_HINT);
  if (await exists(queries.fetchQuery(deliveryQuery(id)))) return { kind: 'delivery', id };
  return { kind: (await hasDeliveries({ eventId: id })) ? 'event' : 'request', id };
};

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
