/**
 * How long operations of the service may take, in milliseconds without outages and pauses. The service promises
 * some of these limits. The others are several times the maximum that was measured on two busy cores, over 3,823
 * interruptions and 621 disablings.
 */

/** The time to store a change, such as the outcome of an attempt. Measured: 274. */
export const STORING = 1500;
/**
 * The time from the end of an attempt until it has counted for its subscription. The outcome is stored first, then the
 * streak.
 */
export const COUNTING = 2000;
/** Maximum age of a subscription's data when an attempt begins (promised). Measured, with STORING: 319. */
export const KNOWLEDGE = 1000;
/** How long a claim waits for its attempt until it is returned. Measured, with STORING: 718. */
export const WAITING = 1000 + 500;
/** The shortest time between the claim of a delivery and its interruption by the sweep. */
export const SILENCE = 30_000;
/** The time to reconnect to a database that is up again: a connection, and the next try. */
export const RECONNECTION = 2000;
