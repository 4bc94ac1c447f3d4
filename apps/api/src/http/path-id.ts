import { externalId, id } from '@chairside/domain';
import { z } from 'zod';

/** The schema of the path parameters of a route whose path has one id. */
export const pathId = <Name extends string>(name: Name) =>
  z.strictObject({
    [name]: id.meta({
      description: `The \`_id\` of the ${name.slice(0, -2).replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)}.`,
      examples: ['01JB0000000000000000000000'],
    }),
  } as Record<Name, typeof id>);

/** The schema of the path parameters of a route whose path has an external id. */
export const pathExternalId = z.strictObject({
  externalId: externalId.meta({
    description: 'The `externalId` of the record, percent-encoded as UTF-8.',
    examples: ['pms:4711'],
  }),
});
