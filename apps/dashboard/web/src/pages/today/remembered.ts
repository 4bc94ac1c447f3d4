/** What this browser remembers of the choices on the page Today: ids, which are not of patients. */
type Remembered = 'clinic' | 'provider';

/** The id that was chosen last. */
export const remembered = (name: Remembered): string | undefined => localStorage.getItem(name) ?? undefined;

export const remember = (name: Remembered, id: string): void => localStorage.setItem(name, id);
