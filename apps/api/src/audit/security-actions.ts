import { type Author, isAboutPatient, type RecordKind, Refusal } from '@chairside/domain';
import type { Access, OrganizationStore, SecurityAction } from '@chairside/mongodb';
import type { FastifyRequest } from 'fastify';

/** Who calls, and in which request. */
export const authorOf = ({ principal, id }: FastifyRequest): Author => ({
  principal: { kind: principal.kind, id: principal.id },
  requestId: id,
});

/**
 * Writes down that the caller is about to get these records. They may leave when it resolves, not before.
 * The entry of a write is made from its event instead.
 */
export const audit = async (
  request: FastifyRequest,
  { audit: entries }: Pick<OrganizationStore, 'audit'>,
  access: Omit<Access, keyof Author | 'result' | 'kind'> & {
    kind: RecordKind;
    result?: 'not_modified' | 'headers';
  },
): Promise<void> => {
  if (isAboutPatient(access.kind)) await entries.add({ result: 'ok', ...access, ...authorOf(request) });
};

/** The fields whose values an entry shows: those of others may be secrets or personal data. */
const SHOWN: ReadonlySet<string> = new Set(['role', 'active', 'scopes', 'rateLimit', 'events', 'clinicId']);

/** What a request sets, for its audit entry. */
export const changesOf = (fields: object): NonNullable<SecurityAction['changes']> =>
  Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([field, value]) => ({ field, ...(SHOWN.has(field) && { value }) }));

/**
 * Makes a security action between the two halves of its audit entry: the first is stored before it, the second says what
 * came of it. When only the second cannot be stored, the caller gets the answer all the same, and the entry says `begun`.
 *
 * @param action.ids whom it concerns, as far as that is known before
 * @param idsOf whom it concerned, when that is known only afterwards
 */
export const audited = async <T>(
  request: FastifyRequest,
  { audit: entries }: Pick<OrganizationStore, 'audit'>,
  { ids, ...action }: Omit<SecurityAction, keyof Author | 'address' | 'ids'> & { ids: readonly string[] },
  act: () => Promise<T>,
  idsOf?: (result: T) => string[],
): Promise<T> => {
  const end = await entries.begin({ ...action, ids: [...ids], address: request.ip, ...authorOf(request) });
  const store = (outcome: Parameters<typeof end>[0]) =>
    end(outcome).catch((error: unknown) =>
      request.log.error({ err: error }, 'an audit entry was not completed'),
    );
  try {
    const result = await act();
    await store({ result: 'ok', ...(idsOf && { ids: idsOf(result) }) });
    return result;
  } catch (error) {
    const result = error instanceof Refusal ? error.name : 'failed';
    // An id that is not this organization's is no business of its trail.
    await store({ result, ...(result === 'NotFound' && { ids: [] }) });
    throw error;
  }
};
