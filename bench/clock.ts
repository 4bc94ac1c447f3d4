/** Milliseconds of the machine's monotonic clock, which all processes share. */
export const now = (): number => Number(process.hrtime.bigint()) / 1e6;
