/** Whether shortcuts have the key Cmd instead of Ctrl. */
export const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent);

/**
 * Selects a dialog that stays. A dialog that the operator has left and the dialog of a popover that fades out are on the
 * page for a moment longer, but keep nothing else from happening.
 */
export const OPEN_DIALOG = '[role$="dialog"]:not([data-leaving], [data-exiting] *)';
