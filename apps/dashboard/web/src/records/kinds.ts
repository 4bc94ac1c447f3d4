/** The kinds of records, by their name in the address of a page, which is also their name in the client. */
export const RECORD_KINDS = [
  'patients',
  'appointments',
  'invoices',
  'payments',
  'treatments',
  'clinics',
] as const;
export type Kind = (typeof RECORD_KINDS)[number];

/** The kinds in words, as the heading of a list. */
export const KIND_NAMES: Readonly<Record<Kind, string>> = {
  patients: 'Patients',
  appointments: 'Appointments',
  invoices: 'Invoices',
  payments: 'Payments',
  treatments: 'Treatments',
  clinics: 'Clinics',
};

export const isKind = (value: string): value is Kind => RECORD_KINDS.some((kind) => kind === value);

/** The kind of record that an event with this name is about; undefined for a name that only a newer api has. */
export const kindOfEvent = (event: string): Kind | undefined => {
  const kind = event.replace(/\..*/s, 's');
  return isKind(kind) ? kind : undefined;
};
