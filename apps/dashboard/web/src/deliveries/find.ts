import { ChairsideError, type WebhookDeliveryFilter } from '@chairside/client';
import { api } from '../api/client.ts';
import { UnusableInput } from '../api/problems.ts';
import { ID_HINT, isId } from '../components/id.ts';
import { keptSince } from '../delivery-list/period.ts';
import { withPrompts } from '../session/prompts.ts';

/** The thing that an id refers to. */
export type Found = { kind: 'delivery' | 'event' | 'request'; id: string };

const isDelivery = (id: string): Promise<boolean> =>
  withPrompts(() => api.webhookDeliveries.get(id)).then(
    () => true,
    (error: unknown) => {
      if (error instanceof ChairsideError && error.status === 404) return false;
      throw error;
    },
  );

const hasDeliveries = async (filter: Record<string, string>): Promise<boolean> => {
  const list = () => api.webhookDeliveries.list(filter as WebhookDeliveryFilter, { pageSize: 1 }).page();
  return (await withPrompts(list)).data.length > 0;
};

/**
 * Finds the thing that an id refers to: a delivery or an event. Any other id is taken as the id of a request.
 *
 * @throws {UnusableInput} if the text is no id
 * @throws {ChairsideError}
 */
export const findById = async (id: string): Promise<Found> => {
  if (!isId(id)) throw new UnusableInput(ID_HINT);
  if (await isDelivery(id)) return { kind: 'delivery', id };
  return { kind: (await hasDeliveries({ eventId: id, since: keptSince() })) ? 'event' : 'request', id };
};
