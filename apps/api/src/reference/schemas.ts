import { ServiceError } from '@chairside/domain';
import { z } from 'zod';

export type JsonSchema = { [key: string]: unknown };

const REFERENCE = '#/components/schemas/';
/** Formats whose patterns are omitted, because the name of the format is clearer. */
const PATTERN_IS_NOISE = ['date-time', 'email'];

const isNull = (schema: JsonSchema): boolean => schema.type === 'null';

/** Turns an `anyOf` of one type and `null` into a list of types, as is usual in JSON Schema. */
const withFoldedNull = ({ anyOf, ...rest }: JsonSchema): JsonSchema => {
  const options = anyOf as JsonSchema[] | undefined;
  if (options === undefined) return rest;
  const [only, ...others] = options.filter((option) => !isNull(option));
  if (only === undefined || others.length > 0 || !options.some(isNull)) return { anyOf: options, ...rest };
  if (Array.isArray(only.anyOf)) return { ...only, anyOf: [...only.anyOf, { type: 'null' }], ...rest };
  if (typeof only.type !== 'string' || only.enum !== undefined) return { anyOf: options, ...rest };
  return { ...only, type: [only.type, 'null'], ...rest };
};

const mapValues = (object: unknown, change: (value: JsonSchema) => JsonSchema): JsonSchema =>
  Object.fromEntries(
    Object.entries(object as JsonSchema).map(([key, value]) => [key, change(value as JsonSchema)]),
  );

/**
 * Moves the default of a request field into its description, because generators of clients require a field that has a
 * `default`.
 */
const withDefaultInWords = ({ default: standard, ...rest }: JsonSchema): JsonSchema =>
  standard === undefined
    ? rest
    : { ...rest, description: `${rest.description} Default: \`${JSON.stringify(standard)}\`.` };

const MAX_INT32 = 2 ** 31 - 1;

/**
 * The format and the bounds of an integer. Generators for Go, Java and C# take an integer without a format for one of 32
 * bits, so that a time in seconds would end in 2038.
 */
const formatOf = ({
  minimum = Number.MIN_SAFE_INTEGER,
  maximum = Number.MAX_SAFE_INTEGER,
}: JsonSchema): JsonSchema => ({
  format: Number(minimum) >= -MAX_INT32 && Number(maximum) <= MAX_INT32 ? 'int32' : 'int64',
  minimum,
  maximum,
});

/** Simplifies a schema for readers and for generators of clients. */
const tidied = (schema: JsonSchema, isResponse: boolean): JsonSchema => {
  const tidy = (inner: JsonSchema) => tidied(inner, isResponse);
  const { $schema, propertyNames, ...rest } = schema;
  const result: JsonSchema = { ...rest };
  if (result.properties) {
    const tidyProperty = (inner: JsonSchema) => (isResponse ? tidy(inner) : withDefaultInWords(tidy(inner)));
    result.properties = mapValues(result.properties, tidyProperty);
  }
  if (result.items) result.items = tidy(result.items as JsonSchema);
  if (result.anyOf) result.anyOf = (result.anyOf as JsonSchema[]).map(tidy);
  if (result.oneOf) result.oneOf = (result.oneOf as JsonSchema[]).map(tidy);
  if (
    PATTERN_IS_NOISE.includes(String(result.format)) ||
    result.type === 'integer' ||
    result.type === 'array'
  )
    delete result.pattern;
  if (result.type === 'array') delete result.maxLength;
  if (typeof result.additionalProperties === 'object')
    result.additionalProperties = tidy(result.additionalProperties as JsonSchema);
  if (result.type === 'integer') Object.assign(result, formatOf(result));
  // Later versions may add fields to responses, and a client that refuses unknown fields would break.
  if (isResponse && result.additionalProperties === false) delete result.additionalProperties;
  return withFoldedNull(result);
};

/**
 * Restores the examples and the default of a list that is checked in two steps. Zod omits them, because it treats
 * such a list as a transform.
 */
const restoreList = ({ zodSchema, jsonSchema }: { zodSchema: z.core.$ZodTypes; jsonSchema: JsonSchema }) => {
  const { examples } = z.globalRegistry.get(zodSchema) ?? {};
  if (jsonSchema.type !== 'array' || jsonSchema.$ref !== undefined) return;
  const { def } = zodSchema._zod;
  if (examples !== undefined) jsonSchema.examples ??= examples;
  if (def.type === 'default') jsonSchema.default ??= def.defaultValue;
};

/** Names the field by whose value generators of clients tell the options of a union apart. */
const nameDiscriminator = ({
  zodSchema,
  jsonSchema,
}: {
  zodSchema: z.core.$ZodTypes;
  jsonSchema: JsonSchema;
}) => {
  const { def } = zodSchema._zod;
  if (def.type === 'union' && 'discriminator' in def && jsonSchema.$ref === undefined)
    jsonSchema.discriminator = { propertyName: def.discriminator };
};

/** Describes a value that is read later, by the schema in its metadata `documented`. */
const describeLater = ({
  zodSchema,
  jsonSchema,
}: {
  zodSchema: z.core.$ZodTypes;
  jsonSchema: JsonSchema;
}) => {
  const { documented } = (z.globalRegistry.get(zodSchema) ?? {}) as { documented?: z.ZodType };
  if (documented === undefined) return;
  delete jsonSchema.documented;
  const { $schema, ...json } = z.toJSONSchema(documented, { io: 'input', unrepresentable: 'any' });
  Object.assign(jsonSchema, json);
};

/** Converts zod schemas into schemas of an OpenAPI document. Schemas with an id become its components. */
export const createSchemas = () => {
  const components: Record<string, JsonSchema> = {};

  const resolve = (schema: JsonSchema): JsonSchema =>
    typeof schema.$ref === 'string' ? (components[schema.$ref.slice(REFERENCE.length)] ?? {}) : schema;

  const define = (id: string, schema: JsonSchema): JsonSchema => {
    const known = components[id];
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(schema))
      throw new ServiceError(`two different schemas have the id ${id}`);
    components[id] = schema;
    return { $ref: REFERENCE + id };
  };

  /** Adds to the discriminator of a union the option that each value of its field selects. */
  const withMapping = ({ discriminator, ...rest }: JsonSchema): JsonSchema => {
    if (discriminator === undefined) return rest;
    const { propertyName } = discriminator as { propertyName: string };
    const mapping = (rest.oneOf as JsonSchema[]).flatMap((option) => {
      const values = (resolve(option).properties as Record<string, JsonSchema>)[propertyName]?.enum;
      return (values as string[]).map((value) => [value, option.$ref]);
    });
    return { ...rest, discriminator: { propertyName, mapping: Object.fromEntries(mapping) } };
  };

  /** @param io `input` for a schema of requests, `output` for a schema of responses */
  const convert = (schema: z.ZodType, io: 'input' | 'output'): JsonSchema => {
    const made = z.toJSONSchema(schema, {
      io,
      target: 'draft-2020-12',
      unrepresentable: 'any',
      override(context) {
        restoreList(context);
        nameDiscriminator(context);
        describeLater(context);
      },
    });
    const { $defs = {}, ...json } = JSON.parse(
      JSON.stringify(made).replaceAll('"#/$defs/', `"${REFERENCE}`),
    ) as JsonSchema;
    const definitions = Object.entries($defs as Record<string, JsonSchema>);
    // A union refers to its options, so they are defined before it.
    const [unions, others] = [true, false].map((isUnion) =>
      definitions.filter(([, definition]) => 'discriminator' in definition === isUnion),
    );
    for (const [id, definition] of [...(others ?? []), ...(unions ?? [])])
      define(id, withMapping(tidied(definition, io === 'output')));
    return withMapping(tidied(json, io === 'output'));
  };

  /** The rows of a list: whole records, or records with the selected fields only. */
  const convertRows = (schema: z.ZodObject): JsonSchema => {
    const whole = convert(schema, 'output');
    const { id } = schema.meta() ?? {};
    const { required, ...json } = resolve(whole);
    const selection = define(`${id}Selection`, {
      ...json,
      description: 'A row of a list with `fields`: the selected fields and `_id`.',
      required: ['_id'],
    });
    return { type: 'array', items: { anyOf: [whole, selection] } };
  };

  /**
   * Composes an example from the examples of the fields. It has all required fields, and the optional fields that
   * have an example.
   *
   * @throws {Error} if a required field has no example
   */
  const exampleOf = (schema: JsonSchema, at = ''): unknown => {
    const {
      examples,
      default: standard,
      const: constant,
      anyOf,
      oneOf,
      properties,
      items,
      required = [],
    } = resolve(schema);
    if (Array.isArray(examples)) return examples[0];
    if (standard !== undefined) return standard;
    if (constant !== undefined) return constant;
    const [option] = (anyOf ?? oneOf ?? []) as JsonSchema[];
    if (option !== undefined) return exampleOf(option, at);
    if (items) return [exampleOf(items as JsonSchema, `${at}[]`)];
    if (!properties) throw new ServiceError(`no example for ${at || JSON.stringify(schema)}`);
    return Object.fromEntries(
      Object.entries(properties as JsonSchema).flatMap(([name, property]) => {
        try {
          return [[name, exampleOf(property as JsonSchema, `${at}.${name}`)]];
        } catch (error) {
          if ((required as string[]).includes(name)) throw error;
          return [];
        }
      }),
    );
  };

  return { components, convert, convertRows, exampleOf, resolve };
};
export type Schemas = ReturnType<typeof createSchemas>;
