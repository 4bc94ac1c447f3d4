/**
 * How long a test waits for one event, in milliseconds. It is the only limit, because a slow machine must not fail a
 * test: an event that never happens is a defect on any machine.
 */
export const LONGEST_WAIT_MS = 60_000;
