import {
  type EventName,
  eventNameSchema,
  eventNames,
  eventScopes,
  loggedEventSchema,
  type Principal,
  type RecordKind,
  Refusal,
  scopeOfEvent,
} from '@chairside/domain';
import type { LoggedEvent } from '@chairside/mongodb';
import { z } from 'zod';
import { auditRead } from '../audit/record-reads.ts';
import type { App, Dependencies } from '../context.ts';
import { timePagesOf } from '../lists/pages.ts';
import { clinicFilter, pageQuery, timeFilter } from '../lists/query.ts';

const config = { access: { anyScope: eventScopes } } as const;
const querystring = z.strictObject({
  clinicId: clinicFilter,
  event: eventNameSchema
    .optional()
    .meta({ description: 'Only events with this name.', examples: ['patient.updated'] }),
  since: timeFilter('Only events that entered the log at this time or later.'),
  ...pageQuery,
});

/**
 * The events that this caller may read. An API key may read the events of the records in its scopes, an operator all
 * events.
 *
 * @throws {Refusal} Forbidden if the caller asks for an event that it may not read
 */
const visibleEvents = (principal: Principal, asked: EventName | undefined): readonly EventName[] => {
  const mayRead = (event: EventName) =>
    principal.kind === 'operator' || principal.scopes.includes(scopeOfEvent(event));
  if (asked === undefined) return eventNames.filter(mayRead);
  if (mayRead(asked)) return [asked];
  const requiredScope = scopeOfEvent(asked);
  throw new Refusal(
    'Forbidden',
    `This API key lacks the scope ${requiredScope}. Ask an administrator to add it.`,
    { details: { requiredScope } },
  );
};

/** The body of the webhook as it was signed, with two more fields: `clinicIds` and `loggedTime`. */
const toText = ({ body, clinicIds, insertedAt }: LoggedEvent): string =>
  `${body.slice(0, -1)},${JSON.stringify({ clinicIds, loggedTime: insertedAt }).slice(1)}`;

export const eventRoutes = (app: App, { store }: Dependencies): void => {
  const sendPage = timePagesOf(store.secrets);

  app.get(
    '/api/events',
    {
      config,
      schema: {
        tags: ['Events'],
        operationId: 'listEvents',
        summary: 'List events',
        description:
          'Returns the events of the last 30 days in the order in which they entered the log, about two seconds after the write. Use it to catch up on missed webhooks. An API key sees the events of the records that it can read.',
        querystring,
        response: { 200: z.array(loggedEventSchema) },
      },
    },
    async (request, reply) => {
      const { clinicId, event, since } = request.query;
      const filter = {
        events: visibleEvents(request.principal, event),
        clinicId,
        since: since === undefined ? undefined : new Date(since),
      };
      const { events } = request.store;
      /** The ids of the records in the events of the page, by kind. */
      const recordIds = new Map<RecordKind, Set<string>>();
      // The stored text of each event is sent unchanged, because this text was signed.
      return sendPage<LoggedEvent>(reply, {
        list: 'events',
        request,
        limit: request.query.limit,
        cursor: request.query.cursor,
        filter,
        read: (after, count) => events.page(filter, after, count),
        timeOf: ({ insertedAt }) => insertedAt,
        stringify: toText,
        taken: ({ kind, recordId }) => recordIds.set(kind, (recordIds.get(kind) ?? new Set()).add(recordId)),
        async release() {
          await Promise.all(
            [...recordIds].map(([kind, ids]) =>
              auditRead(request, { action: 'events_read', kind, ids: [...ids] }),
            ),
          );
        },
      });
    },
  );
};
