/** The differences between a queued delivery and the example of a delivery that has ended. */
export const QUEUED = {
  outcome: 'queued',
  cause: undefined,
  code: undefined,
  reason: undefined,
  statusCode: undefined,
  address: undefined,
  url: undefined,
  payload: undefined,
  responseHeaders: undefined,
  responseBody: undefined,
  redeliveries: undefined,
  duration: undefined,
  timings: undefined,
  attemptTime: undefined,
  finalTime: undefined,
} as const;
