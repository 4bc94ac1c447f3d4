/** How the example of a delivery that has just been made differs from that of one that has ended. */
export const QUEUED = {
  outcome: 'queued',
  cause: undefined,
  reason: undefined,
  statusCode: undefined,
  address: undefined,
  duration: undefined,
  timings: undefined,
  attemptTime: undefined,
  finalTime: undefined,
} as const;
