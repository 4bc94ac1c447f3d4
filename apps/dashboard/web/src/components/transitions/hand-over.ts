import { useEffect, useEffectEvent } from 'react';

/** The parts of the page that take something over, by their names. */
const takers = new Map<string, (text: string) => void>();
/** What was handed over to a part that is not shown yet. */
let waiting: { to: string; text: string } | undefined;

/**
 * Hands something over to a part of the page, or of the page that opens next. Neither the address nor the history of
 * the browser contains it.
 *
 * @param to the name of the part, such as that of a button
 */
export const handOver = (to: string, text = ''): void => {
  const take = takers.get(to);
  waiting = take === undefined ? { to, text } : undefined;
  take?.(text);
};

/** Forgets what was handed over to a part that is not shown yet, because the page of that part does not open. */
export const endHandOver = (): void => {
  waiting = undefined;
};

/** Calls `take` with what is handed over to this name. @param name undefined while nothing can be taken */
export const useHandOver = (name: string | undefined, take: (text: string) => void): void => {
  const onTake = useEffectEvent(take);
  useEffect(() => {
    if (name === undefined) return;
    takers.set(name, onTake);
    if (waiting?.to === name) handOver(name, waiting.text);
    return () => void takers.delete(name);
  }, [name]);
};

/** The name of a table, which takes the id of a row over and goes to that row. @param of as in `List` */
export const rowsOf = (of: string): string => `Table of ${of}`;
