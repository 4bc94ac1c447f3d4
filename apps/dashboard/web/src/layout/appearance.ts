/** The appearance of the pages: that of the system, or always light or dark. */
const APPEARANCES = ['system', 'light', 'dark'] as const;
type Appearance = (typeof APPEARANCES)[number];

const LABELS: Readonly<Record<Appearance, string>> = { system: 'System', light: 'Light', dark: 'Dark' };

/** The appearances to choose from. */
export const APPEARANCE_CHOICES = APPEARANCES.map((value) => ({ value, label: LABELS[value] }));

const KEY = 'appearance';

const appearanceOf = (value: string | null | undefined): Appearance =>
  APPEARANCES.find((each) => each === value) ?? 'system';

/** The appearance that this browser stores; `system` if it stores none. */
export const storedAppearance = (): Appearance => appearanceOf(localStorage.getItem(KEY));

/** Applies an appearance to the document, and stores it. */
export const applyAppearance = (appearance: Appearance = storedAppearance()): void => {
  localStorage.setItem(KEY, appearance);
  if (appearance === 'system') delete document.documentElement.dataset.appearance;
  else document.documentElement.dataset.appearance = appearance;
};

/** Applies the appearance that a person has chosen; `system` for any other value. @returns the appearance */
export const chooseAppearance = (value: string | undefined): Appearance => {
  const chosen = appearanceOf(value);
  applyAppearance(chosen);
  return chosen;
};
