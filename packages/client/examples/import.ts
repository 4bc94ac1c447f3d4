import type { Chairside, CreatePatient } from '@chairside/client';

/**
 * Creates a patient for each line. For 24 hours, you can call it again with the same `run` and the same lines, and no
 * patient is created twice.
 *
 * @returns the ids of the patients, and why some lines were refused, by the number of the line
 */
export async function importPatients(chairside: Chairside, run: string, lines: Iterable<CreatePatient>) {
  function* rows() {
    for (const body of lines)
      yield { method: 'create' as const, kind: 'patient' as const, body: { ...body } };
  }
  const ids = new Map<number, string>();
  const refused = new Map<number, string>();
  let number = 0;
  for await (const { results } of chairside.importAll(rows(), { idempotencyKey: run, minimal: true }))
    for (const { _id, error } of results) {
      number++;
      if (_id !== undefined) ids.set(number, _id);
      if (error !== undefined) refused.set(number, error.message);
    }
  return { ids, refused };
}
