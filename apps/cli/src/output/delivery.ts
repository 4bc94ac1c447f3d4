import type { WebhookDelivery } from '@chairside/client';
import { CAUSES, OUTCOMES, remedyOf } from '@chairside/client/words';
import { formatOf, type OutputOptions, printRow } from './rows.ts';
import { say } from './stdout.ts';

/** The codes of a delivery in words. */
export const DELIVERY_WORDS = { outcome: OUTCOMES, cause: CAUSES } as const;

/** How much of the response a terminal shows. */
const MAX_SHOWN_BODY = 300;
const PHASES = { lookup: 'lookup', connect: 'connect', tls: 'TLS', firstByte: 'first byte' } as const;

const milliseconds = new Intl.NumberFormat('en', {
  style: 'unit',
  unit: 'millisecond',
  maximumFractionDigits: 1,
});

const timingsIn = ({ timings = {}, statusCode }: WebhookDelivery): string =>
  Object.entries(PHASES)
    .flatMap(([phase, word]) => {
      const time = timings[phase as keyof typeof PHASES];
      if (time === undefined) return [];
      // Without a status, this phase is the wait that ended without a response.
      const name = phase === 'firstByte' && statusCode === undefined ? 'no response after' : word;
      return [`${name} ${milliseconds.format(time)}`];
    })
    .join(', ');

const headersIn = (headers: NonNullable<WebhookDelivery['responseHeaders']>): string =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('; ');

const bodyIn = ({ responseBody = '', responseBodyTruncated }: WebhookDelivery): string => {
  const isCut = responseBody.length > MAX_SHOWN_BODY;
  if (isCut) return `${responseBody.slice(0, MAX_SHOWN_BODY)}… (more with -o json)`;
  return responseBodyTruncated ? `${responseBody}… (the rest was not kept)` : responseBody;
};

/** A delivery for people: durations with their unit, and no JSON. */
export const shownDelivery = (delivery: WebhookDelivery): Record<string, unknown> => {
  const {
    duration,
    timings,
    responseHeaders,
    responseBody,
    responseBodyTruncated,
    redeliveries = [],
    ...rest
  } = delivery;
  return {
    ...rest,
    ...(duration !== undefined && { duration: milliseconds.format(duration) }),
    ...(timings && { timings: timingsIn(delivery) }),
    ...(responseHeaders && { responseHeaders: headersIn(responseHeaders) }),
    ...(responseBody !== undefined && { responseBody: bodyIn(delivery) }),
    ...(redeliveries.length > 0 && {
      redeliveries: redeliveries.map(({ _id, outcome }) => `${_id} ${OUTCOMES[outcome]}`).join(', '),
    }),
  };
};

/** Prints a delivery, and says on stderr what to do about a failure. */
export const printDelivery = async (delivery: WebhookDelivery, options: OutputOptions): Promise<void> => {
  const isTable = formatOf(options) === 'table';
  await printRow(isTable ? shownDelivery(delivery) : { ...delivery }, options, DELIVERY_WORDS);
  const remedy = remedyOf(delivery);
  if (remedy !== undefined) say(`What to do: ${remedy}`);
};
