/** How the pages look: as the system says, or always light or dark. */
export const APPEARANCES = ['system', 'light', 'dark'] as const;
export type Appearance = (typeof APPEARANCES)[number];

const KEY = 'appearance';

/** The appearance that this browser keeps. It is all that the dashboard stores in a browser besides its cookie. */
export const storedAppearance = (): Appearance =>
  APPEARANCES.find((each) => each === localStorage.getItem(KEY)) ?? 'system';

/** Applies an appearance to the document, and keeps it. */
export const applyAppearance = (appearance: Appearance = storedAppearance()): void => {
  localStorage.setItem(KEY, appearance);
  if (appearance === 'system') delete document.documentElement.dataset.appearance;
  else document.documentElement.dataset.appearance = appearance;
};
