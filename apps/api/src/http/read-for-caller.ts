import { closedSignal, disconnected } from '@chairside/http-server';
import type { OrganizationSchedule } from '@chairside/mongodb';
import type { FastifyReply } from 'fastify';
import { PRINCIPAL_LIFE_MS } from './principal-cache.ts';

/**
 * The schedule as it is read for one caller: a read that waits for its turn, or is in progress, ends when the caller has
 * gone or lost its access.
 */
export const readForCaller = (
  { request, raw }: FastifyReply,
  schedule: OrganizationSchedule,
): OrganizationSchedule => {
  const gone = closedSignal(raw, disconnected());
  return {
    ...schedule,
    occupied: (range, find) =>
      schedule.occupied(
        range,
        async (occupied) => {
          await request.authorizeAgain(PRINCIPAL_LIFE_MS);
          return find(occupied);
        },
        gone,
      ),
  };
};
