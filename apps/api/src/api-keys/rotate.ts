import { type ApiKey, clock, notFound } from '@chairside/domain';
import type { FastifyRequest } from 'fastify';
import { changesOf, withAuditEntry } from '../audit/security-actions.ts';

const HOUR = 3_600_000;

/**
 * Gives a key a new secret. The secret until now works for the overlap; one before it ends.
 *
 * @returns the key with its new secret
 * @throws {Refusal} NotFound
 */
export const rotateApiKey = (
  request: FastifyRequest,
  id: string,
  { overlapHours }: { overlapHours: number },
): Promise<ApiKey & { secret: string }> => {
  const action = {
    action: 'rotated',
    kind: 'apiKey',
    ids: [id],
    changes: changesOf({ overlapHours }),
  } as const;
  return withAuditEntry(request, action, async () => {
    const now = clock.now();
    const formerEnd = new Date(now.getTime() + overlapHours * HOUR);
    const rotated = await request.store.apiKeys.rotate(id, formerEnd, now);
    if (rotated === undefined) throw notFound();
    return rotated;
  });
};
