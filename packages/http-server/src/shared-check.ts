/**
 * Shares one check among concurrent calls. Anybody may ask for the readiness of a service, so the number of callers must
 * not be the number of checks.
 *
 * @param check must not throw before it returns its promise
 * @returns a function that joins the check in flight, or starts one; with the result or the error of that check
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
