/** The kinds of records, by their place in the address, which is also their name in the client. */
export const RECORD_KINDS = [
  'patients',
  'appointments',
  'clinics',
  'invoices',
  'payments',
  'treatments',
] as const;
export type Kind = (typeof RECORD_KINDS)[number];

export const isKind = (value: string): value is Kind => RECORD_KINDS.some((kind) => kind === value);

/** The kind that the event with this name is about; undefined for a name from a newer api. */
export const kindOfEvent = (event: string): Kind | undefined => {
  const kind = event.replace(/\..*/s, 's');
  return isKind(kind) ? kind : undefined;
};
