import fastJson from 'fast-json-stringify';
import { z } from 'zod';

/**
 * A compiled function that writes a value as JSON and leaves out what its schema does not name.
 * Transforms and refinements of the schema do not run.
 */
export const serializerOf = (schema: z.ZodType): ((value: unknown) => string) => {
  const { $schema, ...json } = z.toJSONSchema(schema, {
    io: 'output',
    target: 'draft-7',
    unrepresentable: 'any',
  });
  return fastJson(json as Parameters<typeof fastJson>[0]);
};

/** The same for a row of a list, which may have been asked for with some of its fields only. */
export const rowSerializerOf = (schema: z.ZodObject): ((row: unknown) => string) =>
  serializerOf(schema.partial());
