import { setImmediate } from 'node:timers/promises';
import { counted } from '@chairside/runtime';
import type { FindCursor } from 'mongodb';

/** How long the rows of one query are handled before other work of the process runs, in milliseconds. */
export const TURN_MS = 10;

/**
 * Streams the results of a query, row by row. Other work of the process runs in between. Abandoning the iteration closes
 * the database's cursor.
 *
 * @throws the reason of the signal, when it is aborted
 */
export async function* rowsOf<D, R>(
  cursor: FindCursor<D>,
  toRow: (document: D) => R,
  signal?: AbortSignal,
): AsyncGenerator<R, void> {
  try {
    let began = performance.now();
    for await (const document of cursor) {
      yield counted(() => toRow(document));
      // The driver parses a batch of rows without a pause.
      if (performance.now() - began < TURN_MS) continue;
      await setImmediate();
      signal?.throwIfAborted();
      began = performance.now();
    }
  } finally {
    await cursor.close();
  }
}
