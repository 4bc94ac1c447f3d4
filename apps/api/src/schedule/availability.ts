import {
  clock,
  durationMinutes,
  type Issue,
  id,
  localDate,
  MAX_DURATION_MINUTES,
  notFound,
  openingHoursUpdateSchema,
  validationError,
} from '@chairside/domain';
import {
  type AvailabilityRefusal,
  type AvailabilityResult,
  type AvailabilitySource,
  dayRangeProblem,
  findAvailability,
  MAX_SLOT_DAYS,
  MAX_SLOTS,
  noSlotReasons,
} from '@chairside/schedule';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import type { App } from '../context.ts';
import { missingReference } from '../http/further-issues.ts';
import { pathId } from '../http/path-id.ts';
import { readForCaller } from '../http/read-for-caller.ts';

const days = {
  from: localDate.meta({
    description: 'The first day, in the time zone of the clinic.',
    examples: ['2030-01-31'],
  }),
  to: localDate.meta({
    description: `The last day, included. A search covers at most ${MAX_SLOT_DAYS} days.`,
    examples: ['2030-01-31'],
  }),
};

type Days = { from: string; to: string };
const isRange = (range: Days): boolean => dayRangeProblem(range, MAX_SLOT_DAYS) === undefined;
/** The range is checked also if other parameters are refused. */
const rangeRefusal = {
  path: ['to'],
  error: ({ input }: { input?: unknown }) => dayRangeProblem(input as Days, MAX_SLOT_DAYS),
  when: ({ value }: { value: unknown }) =>
    [(value as Partial<Days>).from, (value as Partial<Days>).to].every(
      (day) => localDate.safeParse(day).success,
    ),
};

const LENGTH_FORM = `must be a whole number from 1 to ${MAX_DURATION_MINUTES}`;

const querystring = z
  .strictObject({
    clinicId: id.meta({ description: 'The `_id` of the clinic.', examples: ['01JB0000000000000000CHN1C0'] }),
    ...days,
    procedureId: id.optional().meta({
      description: 'Slots for this procedure, with its duration. Send this or `durationMinutes`.',
      examples: ['01JB00000000000000PR0CED00'],
    }),
    durationMinutes: z
      .string()
      .regex(/^\d{1,4}$/, LENGTH_FORM)
      .transform(Number)
      .pipe(durationMinutes)
      .optional()
      .meta({
        description: 'Slots of this number of minutes. Send this or `procedureId`.',
        type: 'integer',
        minimum: 1,
        maximum: MAX_DURATION_MINUTES,
        examples: [30],
      }),
    providerId: id.optional().meta({
      description: 'Only slots in which this provider has no calendar block and no other appointment.',
      examples: ['01JB0000000000000PR0V1DER0'],
    }),
  })
  .refine(isRange, rangeRefusal)
  .refine(
    ({ procedureId, durationMinutes: minutes }) => (procedureId === undefined) !== (minutes === undefined),
    {
      path: ['durationMinutes'],
      error: 'must be sent if procedureId is not, and only then',
      when: () => true,
    },
  );

const previewBody = z
  .strictObject({ ...days, durationMinutes, hours: openingHoursUpdateSchema })
  .refine(isRange, rangeRefusal)
  .meta({ id: 'OpeningHoursPreview', description: 'Opening hours to try, and the days to search.' });

const time = (description: string, example: string) =>
  z.iso.datetime({ offset: true }).meta({ description, examples: [example] });
const span = z.object({
  start: time('Start, in local time of the clinic.', '2030-01-31T09:30:00+01:00'),
  end: time('End, in local time of the clinic.', '2030-01-31T10:00:00+01:00'),
});

const availabilitySchema = z
  .object({
    timeZone: z
      .string()
      .optional()
      .meta({ description: 'IANA time zone of the clinic.', examples: ['Europe/Berlin'] }),
    durationMinutes: z.int().meta({ description: 'The length of each slot.', examples: [30] }),
    slots: z
      .array(span)
      .describe(`At most ${MAX_SLOTS} free slots in the order of time. They may overlap each other.`),
    isCut: z.boolean().meta({
      description: 'Whether there are more slots. Then search again with the day of the last slot as `from`.',
      examples: [false],
    }),
    openingHours: z
      .array(
        z.object({
          date: z.string().meta({ description: 'The day.', examples: ['2030-01-31'] }),
          intervals: z.array(span).describe('When the clinic is open. Empty: closed.'),
        }),
      )
      .describe('When the clinic is open on each day. Empty if the hours were never set.'),
    reason: z.enum(noSlotReasons).optional().meta({
      description:
        'Why there is no slot. `no_time_zone`, `no_opening_hours`: a setting of the clinic is missing. `closed`: not open on these days. `too_long`: no opening is as long as the slot. `past`: all slots have begun. `blocked`: calendar blocks cover the rest. `fully_booked`: appointments fill all chairs. `provider_busy`: the provider has other appointments.',
    }),
  })
  .meta({ id: 'Availability', description: 'The free slots of a clinic.' });

const ISSUES: Readonly<Record<AvailabilityRefusal, Issue>> = {
  no_clinic: missingReference('clinicId', 'clinic'),
  no_procedure: {
    path: 'procedureId',
    message: 'must be the id of a procedure that this clinic offers',
    code: 'not_found',
  },
  no_provider: {
    path: 'providerId',
    message: 'must be the id of a provider who works at this clinic',
    code: 'not_found',
  },
  too_many: { path: 'to', message: 'covers too many appointments or calendar blocks: ask for fewer days' },
};

/** @throws {Refusal} ValidationError if the search is refused */
const availabilityOf = (found: AvailabilityResult) => {
  if (found.outcome === 'refused') throw validationError([ISSUES[found.refusal]]);
  return found.availability;
};

/** The schedule that a search reads. Its turn as a request ends, because the search waits for a turn of its own. */
const sourceFor = (reply: FastifyReply): AvailabilitySource => {
  reply.request.endTurn();
  return readForCaller(reply, reply.request.store.schedule);
};

export const availabilityRoutes = (app: App): void => {
  app.get(
    '/api/availability',
    {
      config: { access: { scope: 'clinics:read' } },
      schema: {
        tags: ['Availability'],
        operationId: 'findAvailability',
        summary: 'Find free slots',
        description:
          'Returns the free slots of a clinic for a procedure, or for a number of minutes, within its opening hours. Nothing is reserved: book a slot with `onlyIfFree` of `POST /api/appointments`.',
        querystring,
        response: { 200: availabilitySchema },
      },
    },
    async (request, reply) =>
      availabilityOf(await findAvailability(sourceFor(reply), request.query, clock.now())),
  );

  app.post(
    '/api/clinics/:clinicId/openinghours/preview',
    {
      config: { access: { role: 'administrator' } },
      schema: {
        tags: ['Opening hours'],
        operationId: 'previewOpeningHours',
        summary: 'Preview opening hours',
        description:
          'Returns the free slots that the clinic would have with these opening hours, between its present calendar blocks and appointments. Stores nothing. `GET /api/availability` returns the same once the hours are set.',
        params: pathId('clinicId'),
        body: previewBody,
        response: { 200: availabilitySchema },
      },
    },
    async (request, reply) => {
      const { clinicId } = request.params;
      const { hours, ...search } = request.body;
      if (!(await request.store.clinics.exists(clinicId))) throw notFound();
      const source = { ...sourceFor(reply), openingHours: async () => hours };
      return availabilityOf(await findAvailability(source, { clinicId, ...search }, clock.now()));
    },
  );
};
