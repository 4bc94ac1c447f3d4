/** The appearance of the pages: that of the system, or always light or dark. */
export const APPEARANCES = ['system', 'light', 'dark'] as const;
export type Appearance = (typeof APPEARANCES)[number];

const KEY = 'appearance';

/** The appearance that this browser stores; `system` if it stores none. */
export const storedAppearance = (): Appearance =>
  APPEARANCES.find((each) => each === localStorage.getItem(KEY)) ?? 'system';

/** Applies an appearance to the document, and stores it. */
export const applyAppearance = (appearance: Appearance = storedAppearance()): void => {
  localStorage.setItem(KEY, appearance);
  if (appearance === 'system') delete document.documentElement.dataset.appearance;
  else document.documentElement.dataset.appearance = appearance;
};
