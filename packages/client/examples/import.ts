import type { Chairside, CreatePatient } from '@chairside/client';

/** Creates a patient for each line. It may be run again with the same `run`, for 24 hours: no patient is created twice. */
export async function importPatients(chairside: Chairside, run: string, lines: CreatePatient[]) {
  for (const [index, line] of lines.entries()) {
    await chairside.patients.create(line, { idempotencyKey: `${run}-${index}` });
  }
}
