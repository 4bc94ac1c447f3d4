import { counted } from '@chairside/concurrency';
import fastJson from 'fast-json-stringify';
import { z } from 'zod';

type Serializer = (value: unknown) => string;
/** The compiled functions, because several routes may have the same schema. */
const compiled = new WeakMap<z.ZodType, Serializer>();

const compile = (schema: z.ZodType): Serializer => {
  const { $schema, ...json } = z.toJSONSchema(schema, {
    io: 'output',
    target: 'draft-7',
    unrepresentable: 'any',
  });
  const withoutRequired = JSON.stringify(json, (key, value) =>
    key === 'required' && Array.isArray(value) ? undefined : value,
  );
  const stringify = fastJson(JSON.parse(withoutRequired));
  return (value) => counted(() => stringify(value));
};

/**
 * Compiles a function that writes a value as JSON, with the fields of its schema in the order of the schema, and no
 * other fields. Transforms and refinements of the schema do not run. No field is required, because fast-json-stringify
 * writes required fields first, and because the rows of a list may have only some of the fields.
 */
export const serializerOf = (schema: z.ZodType): Serializer => {
  const serializer = compiled.get(schema) ?? compile(schema);
  compiled.set(schema, serializer);
  return serializer;
};
