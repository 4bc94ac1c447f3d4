import {
  isTimezone,
  notFound,
  openingHoursSchema,
  openingHoursUpdateSchema,
  Refusal,
  validationError,
} from '@chairside/domain';
import { z } from 'zod';
import { changesOf, withAuditEntry } from '../audit/security-actions.ts';
import type { App } from '../context.ts';
import { pathId } from '../http/path-id.ts';
import { acceptedRevisions, etagOf, isUnchanged, mustBeNew } from '../records/entity-tags.ts';
import { written } from '../records/written.ts';

const tags = ['Opening hours'];
const params = pathId('clinicId');

const NO_TIME_ZONE = {
  path: '',
  message:
    'the clinic has no time zone, or one that is not known, so opening hours have no meaning; ask the operator of the service to set the time zone',
};

export const openingHoursRoutes = (app: App): void => {
  app.get(
    '/api/clinics/:clinicId/openinghours',
    {
      config: { access: { scope: 'clinics:read' }, versioned: true },
      schema: {
        tags,
        operationId: 'getOpeningHours',
        summary: 'Get the opening hours of a clinic',
        description:
          'Returns the opening hours, with their version in `ETag`. Returns 404 if they were never set.',
        params,
        response: { 200: openingHoursSchema, 304: z.undefined() },
      },
    },
    async (request, reply) => {
      const { clinicId } = request.params;
      const { clinics, openingHours } = request.store;
      const [clinicExists, found] = await Promise.all([
        clinics.exists(clinicId),
        openingHours.find(clinicId),
      ]);
      if (!clinicExists) throw notFound();
      if (found === undefined)
        throw new Refusal(
          'NotFound',
          'The opening hours of this clinic were never set. An administrator can set them with PUT.',
        );
      if (isUnchanged(request, reply, found.revision)) return reply.status(304).send(undefined);
      return found.record;
    },
  );

  app.put(
    '/api/clinics/:clinicId/openinghours',
    {
      config: { access: { role: 'administrator' }, versioned: true, creates: true },
      schema: {
        tags,
        operationId: 'setOpeningHours',
        summary: 'Set the opening hours of a clinic',
        description:
          'Replaces all opening hours of a clinic. Times are local times in the time zone of the clinic, so the clinic must have one. A weekday that is absent is closed. If two administrators may set the hours of a clinic for the first time, send `If-None-Match: *`: the second of them gets a 412.',
        params,
        body: openingHoursUpdateSchema,
        response: { 200: openingHoursSchema },
      },
    },
    async (request, reply) => {
      const { clinicId } = request.params;
      const { clinics, openingHours } = request.store;
      const revisions = mustBeNew(request) ? 'none' : acceptedRevisions(request.headers['if-match']);
      const changes = changesOf(request.body);
      const action = { action: 'updated', kind: 'openingHours', ids: [clinicId], changes } as const;
      const { record, revision } = await withAuditEntry(request, action, async () => {
        const clinic = await clinics.find(clinicId);
        if (clinic === undefined) throw notFound();
        if (!isTimezone(clinic.record.timezone ?? '')) throw validationError([NO_TIME_ZONE]);
        return written(await openingHours.set(clinicId, request.body, revisions));
      });
      reply.header('ETag', etagOf(revision));
      return record;
    },
  );
};
