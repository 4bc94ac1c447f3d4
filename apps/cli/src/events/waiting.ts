/** How often the log is read at least while someone watches, in milliseconds. */
export const MAX_WAIT_MS = 1000;

/** What a command that follows the log says when it begins. */
export const WAITING = 'Waiting for events, which appear two to four seconds after the write. Ctrl-C ends.';
