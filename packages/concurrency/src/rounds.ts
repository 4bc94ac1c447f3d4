/** Rounds that repeat until they are stopped. */
export type Rounds = {
  /** Begins no further round. Resolves when the present one has ended. */
  stop(): Promise<void>;
};

/**
 * Begins a round at once, and each further one after a pause, which begins when the round before has ended.
 *
 * @param round its signal is aborted when the rounds are stopped
 * @param pauseMs in milliseconds
 * @param onError called with the error of a round; the next round comes all the same
 */
export const startRounds = (
  round: (signal: AbortSignal) => Promise<void>,
  pauseMs: number,
  onError: (error: unknown) => void,
): Rounds => {
  const stopping = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const next = (): Promise<void> =>
    round(stopping.signal)
      .catch(onError)
      .then(() => {
        if (stopping.signal.aborted) return;
        timer = setTimeout(() => {
          running = next();
        }, pauseMs);
      });
  let running = next();
  return {
    async stop() {
      stopping.abort();
      clearTimeout(timer);
      await running;
    },
  };
};
