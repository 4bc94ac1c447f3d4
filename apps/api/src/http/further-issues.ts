import { counted } from '@chairside/concurrency';
import type { Issue } from '@chairside/domain';
import type { FastifyContextConfig, FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * Checks what the schema of the body does not, without the database. Called if the schema has found issues, with the
     * fields that have none.
     */
    alsoCheck?: (sent: Readonly<Record<string, unknown>>) => readonly Issue[];
  }
}

/** Fields that name other records, with what they name. */
const REFERENCES = {
  clinicId: 'clinic',
  patientId: 'patient',
  patientExternalId: 'patient',
  providerId: 'provider',
} as const;
type Name = keyof typeof REFERENCES;

/** The issue of a field that names nothing in the organization. */
export const missingReference = (path: string, what: (typeof REFERENCES)[Name]): Issue => ({
  path,
  message: `must be the ${path.endsWith('ExternalId') ? 'external id' : 'id'} of a ${what} in your organization`,
  code: 'not_found',
});

/** The issue of a body whose `_id`, or `externalId`, differs from the id in the path. */
export const idIssues = ({ body, params }: FastifyRequest): Issue[] => {
  const sent = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>;
  return Object.entries(params as object).flatMap(([name, id]): Issue[] => {
    const path = name === 'externalId' ? name : '_id';
    const given = sent[path];
    const differs = given !== id && (typeof given === 'string' || (given === null && path === 'externalId'));
    return differs ? [{ path, message: 'must equal the id in the path', code: 'read_only' }] : [];
  });
};

/** What a caller sent to a route that writes. */
export type SentBody = {
  body: unknown;
  isCreation: boolean;
  alsoCheck?: FastifyContextConfig['alsoCheck'];
};

/**
 * What the handler of a refused write would also have found: references to what does not exist, and the issues of
 * `alsoCheck`. A caller corrects all of them at once.
 *
 * @param known the issues that were found before
 */
export const furtherIssues = async (
  { store }: Pick<FastifyRequest, 'store'>,
  { body, isCreation, alsoCheck }: SentBody,
  known: readonly Issue[],
): Promise<Issue[]> => {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return [];
  const faulty = new Set(known.map(({ path }) => path.split('.', 1)[0]));
  const sent = counted(() => Object.fromEntries(Object.entries(body).filter(([name]) => !faulty.has(name))));
  const exists = (name: Name, id: string): Promise<unknown> => {
    switch (name) {
      case 'clinicId':
        return store.clinics.exists(id);
      case 'patientId':
        return store.patients.exists(id);
      case 'patientExternalId':
        return store.patients.idOf(id.normalize('NFC'));
      case 'providerId':
        return store.providers.find(id);
    }
  };
  const missing = async (name: Name): Promise<Issue[]> => {
    const id = sent[name];
    // A patient that is named in both ways is refused for that.
    if (/^patient/.test(name) && sent.patientId !== undefined && sent.patientExternalId !== undefined)
      return [];
    // A change may keep the reference to a provider that was deleted since.
    if (typeof id !== 'string' || (name === 'providerId' && !isCreation)) return [];
    return (await exists(name, id)) ? [] : [missingReference(name, REFERENCES[name])];
  };
  // The request is refused in any case, so a database that is unreachable changes nothing.
  const references = await Promise.all((Object.keys(REFERENCES) as Name[]).map(missing)).catch(() => []);
  return [...references.flat(), ...(alsoCheck?.(sent) ?? [])];
};
