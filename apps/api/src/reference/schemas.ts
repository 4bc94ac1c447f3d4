import { z } from 'zod';

export type JsonSchema = { [key: string]: unknown };

const REFERENCE = '#/components/schemas/';
/** Formats say it better than the patterns that zod adds to them. */
const PATTERN_IS_NOISE = ['date-time', 'email'];

const isNull = (schema: JsonSchema): boolean => schema.type === 'null';

/** `null` beside a single type, as JSON Schema has it, instead of an `anyOf` of two. */
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
 * A field of a request, with its default in the description. Generators of clients take a field with a `default` for one
 * that is always there, and require it.
 */
const withDefaultInWords = ({ default: standard, ...rest }: JsonSchema): JsonSchema =>
  standard === undefined
    ? rest
    : { ...rest, description: `${rest.description} Default: \`${JSON.stringify(standard)}\`.` };

/** A schema as zod made it, less what tells a reader nothing. */
const tidied = (schema: JsonSchema, isAnswer: boolean): JsonSchema => {
  const tidy = (inner: JsonSchema) => tidied(inner, isAnswer);
  const { $schema, propertyNames, ...rest } = schema;
  const result: JsonSchema = { ...rest };
  if (result.properties) {
    const tidyProperty = (inner: JsonSchema) => (isAnswer ? tidy(inner) : withDefaultInWords(tidy(inner)));
    result.properties = mapValues(result.properties, tidyProperty);
  }
  if (result.items) result.items = tidy(result.items as JsonSchema);
  if (result.anyOf) result.anyOf = (result.anyOf as JsonSchema[]).map(tidy);
  if (
    PATTERN_IS_NOISE.includes(String(result.format)) ||
    result.type === 'integer' ||
    result.type === 'array'
  )
    delete result.pattern;
  if (result.type === 'array') delete result.maxLength;
  if (result.minimum === Number.MIN_SAFE_INTEGER) delete result.minimum;
  if (result.maximum === Number.MAX_SAFE_INTEGER) delete result.maximum;
  // A later version may answer with more fields: a client that refuses them would break.
  if (isAnswer && result.additionalProperties === false) delete result.additionalProperties;
  return withFoldedNull(result);
};

/** A list that is checked in two steps counts as a transform: zod leaves out its examples and its default. */
const restoreList = ({ zodSchema, jsonSchema }: { zodSchema: z.core.$ZodTypes; jsonSchema: JsonSchema }) => {
  const { examples } = z.globalRegistry.get(zodSchema) ?? {};
  if (jsonSchema.type !== 'array' || jsonSchema.$ref !== undefined) return;
  const { def } = zodSchema._zod;
  if (examples !== undefined) jsonSchema.examples ??= examples;
  if (def.type === 'default') jsonSchema.default ??= def.defaultValue;
};

/** Turns zod schemas into those of an OpenAPI document; schemas with an id become its components. */
export const createSchemas = () => {
  const components: Record<string, JsonSchema> = {};

  const resolve = (schema: JsonSchema): JsonSchema =>
    typeof schema.$ref === 'string' ? (components[schema.$ref.slice(REFERENCE.length)] ?? {}) : schema;

  const define = (id: string, schema: JsonSchema): JsonSchema => {
    const known = components[id];
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(schema))
      throw new Error(`two schemas have the id ${id}`);
    components[id] = schema;
    return { $ref: REFERENCE + id };
  };

  /** @param io `input` for what a caller sends, `output` for what we answer */
  const convert = (schema: z.ZodType, io: 'input' | 'output'): JsonSchema => {
    const made = z.toJSONSchema(schema, {
      io,
      target: 'draft-2020-12',
      unrepresentable: 'any',
      override: restoreList,
    });
    const { $defs = {}, ...json } = JSON.parse(
      JSON.stringify(made).replaceAll('"#/$defs/', `"${REFERENCE}`),
    ) as JsonSchema;
    for (const [id, definition] of Object.entries($defs as JsonSchema))
      define(id, tidied(definition as JsonSchema, io === 'output'));
    return tidied(json, io === 'output');
  };

  /** The rows of a list: whole records, or with the fields that were asked for. */
  const convertRows = (schema: z.ZodObject): JsonSchema => {
    const whole = convert(schema, 'output');
    const { id } = schema.meta() ?? {};
    const { required, ...json } = resolve(whole);
    const selection = define(`${id}Selection`, {
      ...json,
      description: 'What a list has instead when it is asked for `fields`: those, and `_id`.',
      required: ['_id'],
    });
    return { type: 'array', items: { anyOf: [whole, selection] } };
  };

  /**
   * An example, composed of those of the fields: all that are required, and the others that have one.
   *
   * @throws {Error} when a required field has none
   */
  const exampleOf = (schema: JsonSchema, at = ''): unknown => {
    const {
      examples,
      default: standard,
      const: constant,
      anyOf,
      properties,
      items,
      required = [],
    } = resolve(schema);
    if (Array.isArray(examples)) return examples[0];
    if (standard !== undefined) return standard;
    if (constant !== undefined) return constant;
    if (Array.isArray(anyOf)) return exampleOf(anyOf[0], at);
    if (items) return [exampleOf(items as JsonSchema, `${at}[]`)];
    if (!properties) throw new Error(`no example for ${at || JSON.stringify(schema)}`);
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
