import type { LoggedEvent } from '@chairside/mongodb';

/** The text of an event: the body of its webhook as it was signed, with two more fields, `clinicIds` and `loggedTime`. */
export const eventText = ({ body, clinicIds, insertedAt }: LoggedEvent): string =>
  `${body.slice(0, -1)},${JSON.stringify({ clinicIds, loggedTime: insertedAt }).slice(1)}`;
