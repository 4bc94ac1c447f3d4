import type { z } from 'zod';

/** The six kinds of record that an organization has. */
export const recordKinds = ['patient', 'appointment', 'clinic', 'invoice', 'payment', 'treatment'] as const;
export type RecordKind = (typeof recordKinds)[number];

/** Whether records of this kind are about a patient: then every access to them is audited. */
export const isAboutPatient = (kind: RecordKind): boolean => kind !== 'clinic';

/**
 * A record as it would become: an absent or undefined change leaves a field as it is, `null` clears it.
 *
 * @param current the stored record
 * @param changes validated changes, without what the server owns
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
 * The record with its fields in the order of its schema. Every response and every webhook has them in this order.
 *
 * @param schema names the fields; a field that it does not name is left out
 */
export const inSchemaOrder = <R extends object>(schema: z.ZodObject, record: R): R =>
  Object.fromEntries(
    Object.keys(schema.shape).flatMap((field) =>
      field in record ? [[field, record[field as keyof R]]] : [],
    ),
  ) as R;
