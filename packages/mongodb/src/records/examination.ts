import { computing, startSlice } from '@chairside/concurrency';
import type { ResourceLimit } from '@chairside/domain';

/** Maximum time for which a page of a search decrypts and compares candidates, in milliseconds. Waiting does not count. */
export const MAX_EXAMINING_MS = 250;

export const examiningLimits: readonly ResourceLimit[] = [
  {
    id: 'page_examining',
    part: 'Reading',
    resource: 'Time for which a page of a search for patients decrypts and compares candidates',
    value: MAX_EXAMINING_MS,
    unit: 'ms',
    beyond: 'the page ends, perhaps without a row, and its cursor leads on',
  },
];

/** When the examination of the records of a list ends. */
export type ExaminationEnd = {
  /** Aborted when the caller has gone. */
  signal?: AbortSignal | undefined;
  /** How long the records are examined, in milliseconds. */
  maxMs?: number | undefined;
};

/** Starts to examine the records of a list, in slices, and measures the time that it takes. */
export const startExamination = ({ signal, maxMs = Number.POSITIVE_INFINITY }: ExaminationEnd) => {
  let total = 0;
  return {
    slice: startSlice(),
    /** Examines a record. */
    examine<T>(read: () => T): T {
      const start = computing.now();
      try {
        return read();
      } finally {
        total += computing.now() - start;
      }
    },
    hasEnded: (): boolean => signal?.aborted === true || total >= maxMs,
  };
};
