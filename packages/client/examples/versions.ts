import { type Chairside, ChairsideError, type UpdatePatient } from '@chairside/client';

/** Saves a form that shows a version of the record. Returns the newer version if there is one. */
export async function save(chairside: Chairside, id: string, changes: UpdatePatient, etag: string) {
  try {
    await chairside.patients.update(id, changes, { ifMatch: etag });
    return undefined;
  } catch (error) {
    if (!(error instanceof ChairsideError) || error.name !== 'PreconditionFailed') throw error;
    const { data, response } = await chairside.patients.get(id).withResponse();
    return { newer: data, etag: response.etag };
  }
}
