/**
 * How long operations of the service may take while there is no outage and no pause, in milliseconds. The service
 * promises some of these limits. The others are several times the maximum that was measured on two busy cores, over
 * 3,823 interruptions and 621 disablings.
 */

/** The time to store a change, such as the outcome of an attempt. Measured: 274. */
export const STORING = 1500;
/**
 * The time from the end of an attempt until it has counted for its subscription. The outcome is stored first, then the
 * streak.
 */
export const COUNTING = 2000;
/**
 * Maximum age of a subscription's data when an attempt begins (promised). The highest measured sum of this age and
 * `STORING`: 319.
 */
export const KNOWLEDGE = 1000;
/**
 * How long a claim waits for its attempt until it is returned. The highest measured sum of this wait and
 * `STORING`: 718.
 */
export const WAITING = 1000 + 500;
/** The pause after the failure that slows a subscription down; the service of a run is set to it. */
export const FIRST_PAUSE = 500;
/** The shortest time between the claim of a delivery and its interruption by the sweep. */
export const SILENCE = 30_000;
/** The time until a process uses a database that is up again. The process opens a connection, and tries again. */
export const RECONNECTION = 2000;
/** The time from a fact until the mail server has taken the mail that tells it (promised). */
export const TOLD = 60_000;
/** The time until another dispatcher sends mails after a kill: the life of a lease, and the interval of its renewal. */
export const SUCCESSION = 6000;
/**
 * The longest time until a mail that a killed dispatcher was sending is tried again: the age at which a claim counts as dead,
 * and the interval in which such claims are looked for. It is shorter unless one dispatcher after the other is killed.
 */
export const RECOVERY = 100_000;
