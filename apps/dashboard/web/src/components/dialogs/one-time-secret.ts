import type { ReactNode } from 'react';
import { sharedValue, useSharedValue } from '../../shared-value.ts';

/** A secret that was created and that nobody can show again. */
export type Shown = {
  title: string;
  /** The name of the secret: `Secret`, `Access token`, … */
  label: string;
  /** Empty if nothing was created. */
  text: string;
  explanation: ReactNode;
  /** Code or advice that helps to use the secret. */
  help?: ReactNode;
};

const shown = sharedValue<Shown>();

/**
 * Shows a secret over whatever page is open, until the operator has kept it. It does not belong to the part of the page
 * that created it, because new data or a way back may remove that part. It is in no storage of the browser.
 */
export const showSecret = (secret: Shown): void => shown.set(secret);

export const forgetSecret = (): void => shown.set(undefined);

/** The secret that waits to be kept. */
export const useShownSecret = (): Shown | undefined => useSharedValue(shown);
