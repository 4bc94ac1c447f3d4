import { z } from 'zod';
import { appointmentSchema } from './appointment.ts';
import { type EventName, eventNames, kindOfEvent, originKinds, TEST_EVENT } from './event.ts';
import { clinicId, ownId, timeOf } from './fields.ts';
import { invoiceSchema } from './invoice.ts';
import { patientSchema } from './patient.ts';
import { paymentSchema } from './payment.ts';

const id = ownId('01JB000000000000000EVENT10').describe(
  "The event's id. It is the same in redeliveries; use it to detect duplicates.",
);
const timestamp = z
  .int()
  .meta({ description: 'Time of the event, in Unix seconds.', examples: [1896082200] });

const origin = z
  .object({
    kind: z.enum(originKinds).meta({ description: 'Who caused the event.', examples: ['apiKey'] }),
    ref: z
      .string()
      .optional()
      .meta({
        description:
          'Names the key or token that caused the event, to that key or token alone: `ref` of `GET /api/apikeys/current`, or of `GET /api/sessions/current` for a program token. Drop the events with your own `ref` to ignore your own changes.',
        examples: ['Zk5sE1vT0mQeY2xHq3pJbA'],
      }),
    requestId: z
      .string()
      .optional()
      .meta({
        description: 'The `X-Request-Id` of the request that caused the event.',
        examples: ['01JB00000000000REQVEST1D00'],
      }),
  })
  .meta({ id: 'EventOrigin', description: 'Where an event comes from.' });
const changed = z.array(z.string()).meta({
  description:
    'The names of the fields that differ from the version before, without `lastEditTime`. Empty if none does.',
  examples: [['phone']],
});

/** The data of a test event. */
const testPingSchema = z
  .object({ subscriptionId: ownId('01JB000000000000SVBSCR1PT0'), clinicId })
  .meta({ id: 'TestPing', description: 'The data of a test event: the subscription that it tests.' });

/** The records of each family of events: the `data` of its events. */
const records = {
  patient: patientSchema,
  appointment: appointmentSchema,
  invoice: invoiceSchema,
  payment: paymentSchema,
} as const;
type Family = keyof typeof records;

/** The body of webhooks for events with this name. */
export const webhookBodySchema = (event: EventName | typeof TEST_EVENT) =>
  z.object({
    id,
    event: z.literal(event).describe('Name of the event.'),
    timestamp,
    data: event === TEST_EVENT ? testPingSchema : records[kindOfEvent(event)],
    origin,
    ...(event.endsWith('.updated') && { changed }),
  });

/** The events of the log about one kind of record. */
const loggedEventOf = <F extends Family>(family: F) => {
  const isOfFamily = (event: EventName): event is Extract<EventName, `${F}.${string}`> =>
    event.startsWith(`${family}.`);
  const names = eventNames.filter(isOfFamily);
  return z
    .object({
      id,
      event: z.enum(names).meta({ description: 'Name of the event.', examples: [names[0]] }),
      timestamp,
      data: records[family],
      origin,
      changed: changed
        .optional()
        .meta({ description: `${changed.description} Only an event \`${family}.updated\` has it.` }),
      clinicIds: z
        .array(clinicId)
        .describe('The `_id`s of the clinics whose subscriptions receive the event.'),
      loggedTime: timeOf(
        'When the event entered the log. `since` refers to this time.',
        '2030-01-31T09:30:00.250Z',
      ),
    })
    .meta({
      id: `${family.charAt(0).toUpperCase()}${family.slice(1)}Event`,
      description: `An event of the log whose \`data\` is the ${family} as GET returned it at the time of the event; for a deletion, the deleted ${family}.`,
    });
};

/** An event of the event log, as the API returns it. Its `event` determines what its `data` is. */
export const loggedEventSchema = z
  .discriminatedUnion('event', [
    loggedEventOf('patient'),
    loggedEventOf('appointment'),
    loggedEventOf('invoice'),
    loggedEventOf('payment'),
  ])
  .meta({
    id: 'Event',
    description:
      'An event as it was sent, and the time at which it entered the log. `event` determines what `data` is.',
  });
