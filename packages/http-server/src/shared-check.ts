/**
 * Shares one check among concurrent calls. Anybody may query the readiness of a service, so the number of checks must
 * not grow with the number of callers.
 *
 * @param check must not throw before it returns its promise
 * @returns a function that joins the check in flight or starts a new one, and settles like that check
 */
export const sharedCheck = <Result>(check: () => Promise<Result>): (() => Promise<Result>) => {
  let inFlight: Promise<Result> | undefined;
  return () => {
    inFlight ??= check().finally(() => {
      inFlight = undefined;
    });
    return inFlight;
  };
};
