import { sharedValue } from '../shared-value.ts';

const KEY = 'first-steps';
const HIDDEN = 'hidden';

/** Whether this browser hides the first steps of a new practice. */
export const stepsHidden = sharedValue<boolean>();
stepsHidden.set(localStorage.getItem(KEY) === HIDDEN);

/** Hides the first steps in this browser, or shows them again. */
export const hideSteps = (isHidden: boolean): void => {
  if (isHidden) localStorage.setItem(KEY, HIDDEN);
  else localStorage.removeItem(KEY);
  stepsHidden.set(isHidden);
};
