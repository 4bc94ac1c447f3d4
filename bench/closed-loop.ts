/**
 * Repeats work in a closed loop for a time.
 *
 * @returns how often it was done, and how long the loop took
 */
export const closedLoop = async (
  work: () => Promise<unknown>,
  inFlight: number,
  milliseconds: number,
): Promise<{ done: number; seconds: number }> => {
  const startedAt = performance.now();
  let done = 0;
  await Promise.all(
    Array.from({ length: inFlight }, async () => {
      while (performance.now() - startedAt < milliseconds) {
        await work();
        done++;
      }
    }),
  );
  return { done, seconds: (performance.now() - startedAt) / 1000 };
};
