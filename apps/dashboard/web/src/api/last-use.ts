let time = 0;

/** When a request of a person last succeeded on this page, in milliseconds since the epoch; 0 if never. */
export const lastUse = (): number => time;

/** Records a request of a person, which has renewed the session. */
export const recordUse = (): void => {
  time = Date.now();
};
