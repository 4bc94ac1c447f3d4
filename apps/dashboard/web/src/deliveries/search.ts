import type { Search } from '../search.ts';

/** The filters of the list of deliveries, as the api names them, and the cursor. */
export const DELIVERY_FILTERS = [
  'clinicId',
  'webhookSubscriptionId',
  'outcome',
  'cause',
  'event',
  'statusClass',
  'unrepaired',
  'eventId',
  'requestId',
  'since',
  'until',
  'cursor',
] as const;

export type DeliverySearch = Search<(typeof DELIVERY_FILTERS)[number]>;
