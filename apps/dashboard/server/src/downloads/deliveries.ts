import type { Delivery } from '@chairside/domain';
import type { Columns } from './csv.ts';

/** The most rows of a file of deliveries, so that a spreadsheet can open it. */
export const MAX_DELIVERIES = 100_000;

const receiverOf = ({ url }: Delivery): URL | undefined => (url === undefined ? undefined : new URL(url));

/**
 * The columns of a file of deliveries. It is evidence for the operator of a receiver, so it has no body and nothing about
 * a patient. The query of a URL may have a secret, so it is left out.
 */
export const deliveryColumns: Columns<Delivery> = {
  createdTime: ({ createdTime }) => createdTime,
  attemptTime: ({ attemptTime }) => attemptTime,
  event: ({ event }) => event,
  eventId: ({ eventId }) => eventId,
  deliveryId: ({ _id }) => _id,
  kind: ({ kind }) => kind,
  subscriptionId: ({ subscriptionId }) => subscriptionId,
  receiverHost: (delivery) => receiverOf(delivery)?.host,
  receiverPath: (delivery) => receiverOf(delivery)?.pathname,
  clinicId: ({ clinicId }) => clinicId,
  clinicName: ({ clinicId }, names) => names.get(clinicId),
  outcome: ({ outcome }) => outcome,
  // A delivery is attempted at most once.
  attempts: ({ attemptTime }) => (attemptTime === undefined ? 0 : 1),
  statusCode: ({ statusCode }) => statusCode,
  cause: ({ cause }) => cause,
  durationMs: ({ duration }) => duration,
};
