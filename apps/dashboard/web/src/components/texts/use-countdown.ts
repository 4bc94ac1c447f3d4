import { useEffect, useState } from 'react';

/**
 * Counts down the seconds of `Retry-After`.
 *
 * @param seconds undefined if there is nothing to wait for
 * @param since an object that is new for each refusal, so that the same number of seconds starts again
 * @returns the seconds left; 0 when the request may be repeated
 */
export const useCountdown = (seconds: number | undefined, since: unknown): number => {
  const [left, setLeft] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `since` starts the countdown anew
  useEffect(() => {
    if (seconds === undefined) return setLeft(0);
    const end = Date.now() + seconds * 1000;
    const tick = () => setLeft(Math.max(0, Math.ceil((end - Date.now()) / 1000)));
    tick();
    const timer = setInterval(tick, 250);
    return () => clearInterval(timer);
  }, [seconds, since]);
  return left;
};
