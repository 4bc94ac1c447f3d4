/**
 * How long what the service does may take, in milliseconds in which nothing kept it from work. What is not promised is
 * several times what was measured on two busy cores: the most of 3,823 interruptions and 621 disablings.
 */

/** To store something, such as how an attempt ended, or that there was none; measured: 274. */
export const STORING = 1500;
/** Until an outcome has counted for its subscription: it is stored, then the streak. */
export const COUNTING = 2000;
/** How old what is known of a subscription may be when an attempt begins: promised; measured, with STORING: 319. */
export const KNOWLEDGE = 1000;
/** How long a claim waits for its attempt until it is given back; measured, with STORING: 718. */
export const WAITING = 1000 + 500;
/** How long after its claim a Delivery is told to be interrupted at the earliest. */
export const SILENCE = 30_000;
/** To find a database again that is back: a connection, and the next try. */
export const RECONNECTION = 2000;
