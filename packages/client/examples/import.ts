import type { Chairside, CreatePatient } from '@chairside/client';

/**
 * Creates a patient for each line. For 24 hours, you can call it again with the same `run`, and no patient is created
 * twice.
 */
export async function importPatients(chairside: Chairside, run: string, lines: CreatePatient[]) {
  for (const [index, line] of lines.entries()) {
    await chairside.patients.create(line, { idempotencyKey: `${run}-${index}` });
  }
}
