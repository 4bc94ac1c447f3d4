import { ChairsideError } from '@chairside/client';

/** Whether something with an id exists. @throws {ChairsideError} */
export const exists = (reading: Promise<unknown>): Promise<boolean> =>
  reading.then(
    () => true,
    (error: unknown) => {
      if (error instanceof ChairsideError && error.status === 404) return false;
      throw error;
    },
  );
