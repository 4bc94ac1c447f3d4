import { notFound, openingHoursSchema, Refusal } from '@chairside/domain';
import { z } from 'zod';
import type { App } from '../context.ts';
import { pathId } from '../http/path-id.ts';
import { isUnchanged } from '../records/entity-tags.ts';

const tags = ['Opening hours'];
const params = pathId('clinicId');

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
          'The opening hours of this clinic were never set. An administrator must set them.',
        );
      if (isUnchanged(request, reply, found.revision)) return reply.status(304).send(undefined);
      return found.record;
    },
  );
};
