declare module 'fastify' {
  interface FastifyInstance {
    /** Checks whether the process can serve requests, and shows the result in its metrics. Does not reject. */
    checkReadiness(): Promise<void>;
  }
}

/** How often a process checks its readiness, in milliseconds. */
const INTERVAL_MS = 10_000;

/**
 * Checks the readiness now and every ten seconds, so that the metrics show it even if nothing requests `/health/ready`.
 *
 * @param check must not reject
 * @returns a function that ends the checks
 */
export const watchReadiness = (check: () => Promise<void>): (() => void) => {
  let timer: NodeJS.Timeout | undefined;
  let hasEnded = false;
  const look = async (): Promise<void> => {
    await check();
    if (!hasEnded) timer = setTimeout(look, INTERVAL_MS).unref();
  };
  void look();
  return () => {
    hasEnded = true;
    clearTimeout(timer);
  };
};
