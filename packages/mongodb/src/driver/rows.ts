import { counted, startSlice } from '@chairside/concurrency';
import type { Rows } from './database.ts';

/**
 * Streams the results of a query, row by row. Other work of the process runs in between. Abandoning the iteration closes
 * the database's cursor.
 *
 * @throws the reason of the signal, when it is aborted
 */
export async function* rowsOf<D, R>(
  documents: Rows<D>,
  toRow: (document: D) => R,
  signal?: AbortSignal,
): AsyncGenerator<R, void> {
  const slice = startSlice();
  for await (const document of documents) {
    yield counted(() => toRow(document));
    // The driver parses a batch of rows without a pause.
    if (!slice.isOver()) continue;
    await slice.pause();
    signal?.throwIfAborted();
  }
}
