import { id, validationError } from '@chairside/domain';
import { z } from 'zod';

/** The one path parameter of a route for a single record. */
export const pathId = <Name extends string>(name: Name) =>
  z.strictObject({ [name]: id } as Record<Name, typeof id>);

/**
 * An `_id` in a body must be that of the path.
 *
 * @throws {Refusal} ValidationError
 */
export const requireSameId = (sent: string | undefined, path: string): void => {
  if (sent !== undefined && sent !== path)
    throw validationError([{ path: '_id', message: 'must equal the id in the path' }]);
};
