/**
 * How long what the service does may take, in milliseconds in which nothing kept it from work. What is not promised is
 * several times what was measured on two cores with a load of 14, the most of 1,141 interruptions and 196 disablings.
 */

/** To store something, such as how an attempt ended, or that there was none; measured: 240. */
export const STORING = 1500;
/** Until an outcome has counted for its subscription: it is stored, then the streak. */
export const COUNTING = 2000;
/** How old what is known of a subscription may be when an attempt begins: promised. */
export const KNOWLEDGE = 1000;
/** How long a claim waits for its attempt until it is given back; measured, with STORING: 630. */
export const WAITING = 1000 + 500;
/** How long after its claim a Delivery is told to be interrupted at the earliest. */
export const SILENCE = 30_000;
/** To find a database again that is back: a connection, and the next try. */
export const RECONNECTION = 2000;
