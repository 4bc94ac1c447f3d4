import {
  clock,
  type EventName,
  eventNameSchema,
  eventNames,
  eventScopes,
  loggedEventSchema,
  notFound,
  type Principal,
  type RecordKind,
  Refusal,
  scopeOfEvent,
  validationError,
} from '@chairside/domain';
import { isBefore, type LoggedEvent, type TimePosition } from '@chairside/mongodb';
import { z } from 'zod';
import { auditRead } from '../audit/record-reads.ts';
import type { App, Dependencies } from '../context.ts';
import { pathId } from '../http/path-id.ts';
import { timePagesOf } from '../lists/pages.ts';
import { clinicFilter, examinedWith, filterBy, pageQuery, timeFilter, timeRange } from '../lists/query.ts';
import { eventText } from '../records/event-text.ts';
import { earlier, logProgress } from './log-progress.ts';

const access = { anyScope: eventScopes, program: 'webhooks' } as const;
const params = pathId('eventId');
const querystring = z.strictObject({
  clinicId: clinicFilter,
  event: eventNameSchema
    .optional()
    .meta({ description: 'Only events with this name.', examples: ['patient.updated'] }),
  recordId: filterBy('about this record', '01JB0000000000000000PAT1E0'),
  since: timeFilter(
    'Only events that entered the log at this time or later. A time up to five minutes ahead of the service is the end of the log; a later one is refused.',
  ),
  until: timeFilter('Only events that entered the log until this time.'),
  order: z
    .enum(['asc', 'desc'], { error: 'must be asc or desc' })
    .default('asc')
    .describe('`asc` begins with the oldest event, `desc` with the newest.'),
  ...pageQuery,
});

/**
 * Whether a principal may see an event. A key may see events of the records that it may read. Operators and program
 * tokens may see all events.
 */
const maySee = (principal: Principal, event: EventName): boolean =>
  principal.kind !== 'apiKey' || principal.scopes.includes(scopeOfEvent(event));

/** @throws {Refusal} Forbidden when the principal may not see this event */
const requireVisible = (principal: Principal, event: EventName): void => {
  if (maySee(principal, event)) return;
  const requiredScope = scopeOfEvent(event);
  throw new Refusal(
    'Forbidden',
    `This API key lacks the scope ${requiredScope}. Ask an administrator to add it.`,
    { details: { requiredScope } },
  );
};

/**
 * The events that this principal may see, or only the event that it filters by.
 *
 * @throws {Refusal} Forbidden when it asks for an event that it may not see
 */
const visibleEvents = (principal: Principal, asked: EventName | undefined): readonly EventName[] => {
  if (asked === undefined) return eventNames.filter((event) => maySee(principal, event));
  requireVisible(principal, asked);
  return [asked];
};

/**
 * Requires that the log still has every event after a position.
 *
 * @param begin the last event of the previous page, or the time with which the list begins
 * @param expiredTo the last event that has expired
 * @throws {Refusal} LogExpired
 */
const requireComplete = (begin: TimePosition | Date, expiredTo: TimePosition | undefined): void => {
  if (expiredTo === undefined) return;
  const isComplete = begin instanceof Date ? begin > expiredTo.time : !isBefore(begin, expiredTo);
  if (isComplete) return;
  const earliestTime = new Date(expiredTo.time.getTime() + 1).toISOString();
  throw new Refusal(
    'LogExpired',
    `Events after this position have expired from the log, which is complete from ${earliestTime} on. Read the full lists, and then the log from the time at which you began to read them. A request without since and cursor begins with the earliest event that is kept.`,
    { details: { earliestTime } },
  );
};

/** How far the clock of a caller may be ahead. */
const MAX_AHEAD_MS = 5 * 60_000;

/**
 * The time with which the log begins for this request. With a later time than now, the cursor would skip the events until
 * then.
 *
 * @throws {Refusal} ValidationError for a time that is no difference between clocks
 */
const beginningOf = (since: Date | undefined): Date | undefined => {
  if (since === undefined) return undefined;
  const now = clock.now();
  if (since.getTime() - now.getTime() <= MAX_AHEAD_MS) return earlier(since, now);
  const message = `must be at most five minutes ahead of the service, whose time is ${now.toISOString()}`;
  throw validationError([{ path: 'since', message }]);
};

export const eventRoutes = (app: App, { store }: Dependencies): void => {
  const sendPage = timePagesOf(store.secrets);

  app.get(
    '/api/events',
    {
      config: { access, resumable: true },
      schema: {
        tags: ['Events'],
        operationId: 'listEvents',
        summary: 'List events',
        description:
          'Returns the events of the last 30 days in the order in which they entered the log. An event appears one to two seconds after the write. Use this list to catch up on missed webhooks, or to follow the log: send the `X-Resume-Cursor` of each page as `cursor` of the next request. No event is missed or repeated. If events after `since` or `cursor` have expired, the response is a 410. An API key sees only the events of records that it can read. ' +
          examinedWith(
            '`event` or `recordId`, or with a key of some kinds of records or of more than 100 clinics,',
          ),
        querystring,
        refusals: [410],
        response: { 200: z.array(loggedEventSchema) },
      },
    },
    async (request, reply) => {
      const { clinicId, event, recordId, since, until, order, limit, cursor } = request.query;
      const filter = {
        events: visibleEvents(request.principal, event),
        clinicId,
        recordId,
        ...timeRange(since, until),
      };
      const { events } = request.store;
      const from = beginningOf(filter.since);
      const progress = logProgress(from);
      let stop: Awaited<ReturnType<typeof events.examinedTo>>;
      let begin: TimePosition | undefined;
      /** The ids of the records in the events of the page, by kind. */
      const recordIds = new Map<RecordKind, Set<string>>();
      // The stored text of an event is sent, and not its parsed content, because this text was signed.
      return sendPage<LoggedEvent>(reply, {
        list: 'events',
        request,
        limit,
        cursor,
        filter: { ...filter, order },
        // This filter contains neither the times nor the visible events, so that a cursor stays valid when they change.
        resumeFilter: { event, clinicId, recordId },
        async *read(after, count) {
          begin = after;
          const readTo = earlier(await events.end(), filter.until);
          // In a list that begins with the newest events, a later page does not show which events have
          // entered the log since the first page.
          if (order === 'asc' || after === undefined) progress.begin(after, readTo);
          const found = { ...filter, since: from, until: readTo };
          stop = await events.examinedTo(found, { after, order });
          yield* events.page(found, { after, stop, limit: count, order });
        },
        stoppedAt() {
          if (stop !== undefined) progress.reach(stop);
          return stop;
        },
        timeOf: ({ insertedAt }) => insertedAt,
        stringify: eventText,
        taken(logged) {
          progress.take(logged);
          recordIds.set(logged.kind, (recordIds.get(logged.kind) ?? new Set()).add(logged.recordId));
        },
        resumeAt: progress.resumeAt,
        async release() {
          // A page of a list that begins with the newest event leads to older ones, as far as there are any.
          const after = begin === undefined || order === 'asc' ? (begin ?? from) : undefined;
          // The page has been read, so an event that it lacks is in `expiredTo`.
          if (after !== undefined) requireComplete(after, await events.expiredTo());
          await Promise.all(
            [...recordIds].map(([kind, ids]) =>
              auditRead(request, { action: 'events_read', kind, ids: [...ids] }),
            ),
          );
        },
      });
    },
  );

  app.get(
    '/api/events/:eventId',
    {
      config: { access },
      schema: {
        tags: ['Events'],
        operationId: 'getEvent',
        summary: 'Get one event',
        description:
          'Returns an event of the last 30 days. An event is available as soon as it has entered the log, about half a second after its first webhook. An API key sees only the events of records that it can read.',
        params,
        response: { 200: loggedEventSchema },
      },
    },
    async (request, reply) => {
      const found = await request.store.events.find(request.params.eventId);
      if (found === undefined) throw notFound();
      requireVisible(request.principal, found.event);
      await auditRead(request, {
        action: 'events_read',
        kind: found.kind,
        ids: [found.recordId],
        ...(request.method === 'HEAD' && { result: 'headers' }),
      });
      // The stored text is sent, and not its parsed content, because this text was signed.
      reply.type('application/json; charset=utf-8').serializer(String);
      // The schema has the type of the parsed event, so the text needs a cast.
      return reply.send(eventText(found) as never);
    },
  );
};
