import { type Author, Refusal, switchableNotices } from '@chairside/domain';
import type { SecurityAction } from '@chairside/mongodb';
import type { FastifyRequest } from 'fastify';
import { authorOf } from './author.ts';

/** The fields whose values an entry shows. The values of other fields may be secrets or personal data. */
const SHOWN: ReadonlySet<string> = new Set([
  'role',
  'active',
  'scopes',
  'rateLimit',
  'events',
  'payload',
  'headers',
  'clinicId',
  'clinicIds',
  'expiryTime',
  'overlapHours',
  'access',
  'lifetimeDays',
  'newHost',
  'replaces',
  'since',
  'until',
  'outcomes',
  'unrepaired',
  'principalId',
  'kind',
  'recordId',
  'action',
  'requestId',
  'providerId',
  'startTime',
  'endTime',
  'code',
  'price',
  'currency',
  'durationMinutes',
  'bookable',
  'chairs',
  'slotMinutes',
  ...switchableNotices,
  'requiredFactors',
]);

type Change = NonNullable<SecurityAction['changes']>[number];

/**
 * The change of a URL to which data is sent. It shows only the host, because path and query may contain secrets.
 *
 * @param before the URL until now, if the action changes it
 */
export const hostChange = (url: string, before?: string): Change => ({
  field: 'url',
  ...(URL.canParse(url) && { value: new URL(url).host }),
  ...(before !== undefined && URL.canParse(before) && { before: new URL(before).host }),
});

/** The `changes` of an audit entry: the fields that a request sets, or by which it filters. */
export const changesOf = (fields: object): NonNullable<SecurityAction['changes']> =>
  Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([field, value]) => ({
      field,
      ...(SHOWN.has(field) &&
        value !== null && { value: value instanceof Date ? value.toISOString() : value }),
    }));

/**
 * Performs a security action with its audit entry. The entry is stored before the action with the result `begun`, and
 * completed after it. If the completion cannot be stored, the caller still receives the result of the action.
 *
 * @param action.ids the ids that the action concerns and that are known before it
 * @param act performs the action
 * @param idsOf returns the ids that are known only after the action
 */
export const withAuditEntry = async <T>(
  request: FastifyRequest,
  {
    ids,
    changes,
    ...action
  }: Omit<SecurityAction, keyof Author | 'address' | 'ids' | 'changes'> & {
    ids: readonly string[];
    changes?: readonly Change[];
  },
  act: () => Promise<T>,
  idsOf?: (result: T) => string[],
): Promise<T> => {
  const { audit } = request.store;
  const complete = await audit.begin({
    ...action,
    ids: [...ids],
    ...(changes && { changes: [...changes] }),
    address: request.callerAddress,
    ...authorOf(request),
  });
  const store = (outcome: Parameters<typeof complete>[0]) =>
    complete(outcome).catch((error: unknown) =>
      request.log.error({ err: error }, 'audit entry could not be completed'),
    );
  try {
    const result = await act();
    await store({ result: 'ok', ...(idsOf && { ids: idsOf(result) }) });
    return result;
  } catch (error) {
    const result = error instanceof Refusal ? error.name : 'failed';
    // The caller may have sent an id of another organization, which must not enter the audit trail of this one.
    await store({ result, ...(result === 'NotFound' && { ids: [] }) });
    throw error;
  }
};
