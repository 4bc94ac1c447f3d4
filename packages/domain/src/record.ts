import type { z } from 'zod';

export const recordKinds = ['patient', 'appointment', 'clinic', 'invoice', 'payment', 'treatment'] as const;
export type RecordKind = (typeof recordKinds)[number];

/** Whether records of this kind are about a patient. Reads of such records are audited. */
export const isAboutPatient = (kind: RecordKind): boolean => kind !== 'clinic';

/**
 * Applies changes to a record. An absent field stays as it is; `null` clears a field.
 *
 * @param current the stored record
 * @param changes validated changes, without the fields that the server sets
 */
export const withChanges = <R extends object>(
  current: R,
  changes: { readonly [K in keyof R]?: R[K] | null | undefined },
): R => {
  const next = { ...current } as Record<string, unknown>;
  for (const [key, value] of Object.entries(changes)) {
    if (value === undefined) continue;
    if (value === null) delete next[key];
    else next[key] = value;
  }
  return next as R;
};

/**
 * Returns the record with its fields in the order of its schema.
 *
 * @param schema the schema of the record; fields that it does not have are omitted
 */
export const inSchemaOrder = <R extends object>(schema: z.ZodObject, record: R): R =>
  Object.fromEntries(
    Object.keys(schema.shape).flatMap((field) =>
      field in record ? [[field, record[field as keyof R]]] : [],
    ),
  ) as R;
