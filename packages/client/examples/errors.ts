import { type Chairside, ChairsideError, type CreatePatient } from '@chairside/client';

export async function create(chairside: Chairside, patient: CreatePatient) {
  try {
    return await chairside.patients.create(patient);
  } catch (error) {
    if (!(error instanceof ChairsideError)) throw error;
    switch (error.name) {
      case 'ValidationError':
        return error.issues.map(({ path, message }) => `${path} ${message}`);
      case 'Forbidden':
        return [`The key lacks the scope ${error.details.requiredScope}.`];
      default:
        // The message and all fields are safe to log. Quote the request id when you report a problem.
        console.error(error.message, { requestId: error.requestId });
        throw error;
    }
  }
}
