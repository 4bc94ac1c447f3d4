/** The differences of a queued delivery from the example of a delivery that has ended. */
export const QUEUED = {
  outcome: 'queued',
  cause: undefined,
  code: undefined,
  reason: undefined,
  statusCode: undefined,
  address: undefined,
  duration: undefined,
  timings: undefined,
  attemptTime: undefined,
  finalTime: undefined,
} as const;
