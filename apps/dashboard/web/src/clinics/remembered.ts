import type { Clinic } from '@chairside/client';

/** What this browser remembers: ids of the clinic and of the provider that a person works with. */
type Remembered = 'clinic' | 'provider';

/** The id that was chosen last. */
export const remembered = (name: Remembered): string | undefined => localStorage.getItem(name) ?? undefined;

export const remember = (name: Remembered, id: string): void => localStorage.setItem(name, id);

/**
 * The clinic of a page: that of the address, the one that this browser remembers, or the only one. Of several clinics, none
 * is chosen by accident.
 *
 * @param wanted the id in the address
 */
export const clinicOf = (clinics: readonly Clinic[], wanted: string | undefined): Clinic | undefined => {
  const withId = (id: string | undefined) => clinics.find(({ _id }) => _id === id);
  if (wanted !== undefined) return withId(wanted);
  return withId(remembered('clinic')) ?? (clinics.length === 1 ? clinics[0] : undefined);
};
