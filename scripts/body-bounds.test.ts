import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { referencesIn } from '../packages/test-support/src/references.ts';

/*
 * What a request may make the api hold and compute: every text, list and object of every body has a bound, and those that
 * are large or open are listed here, with what bounds them. The bodies are those of the OpenAPI document.
 */
const LARGE_TEXT = 4000;
const LISTED: Readonly<Record<string, string>> = {
  'reminders[]': 'any members: bytes, depth and number of values (reminder_bytes, reminder_values)',
  'writes[].body': 'a body of a single call, by whose schema it is read then',
  headers: 'names of headers: their number and bytes (fixed_headers, fixed_header_bytes)',
  credential: 'further members of browsers are dropped',
  'credential.response': 'further members of browsers are dropped',
  assertion: 'further members of browsers are dropped',
  'assertion.response': 'further members of browsers are dropped',
  'credential.response.clientDataJSON': 'checked once, and not stored',
  'assertion.response.clientDataJSON': 'checked once, and not stored',
  'assertion.response.authenticatorData': 'checked once, and not stored',
  'assertion.response.signature': 'checked once, and not stored',
};

type Schema = { [key: string]: any };
const document: Schema = JSON.parse(readFileSync(new URL('../docs/openapi.json', import.meta.url), 'utf8'));
const resolve = referencesIn(document);

/** The parts of a schema that no bound holds, by their paths. */
const unboundedIn = (given: Schema, path = ''): string[] => {
  const schema = resolve(given) as Schema;
  const { properties = {}, items, additionalProperties, enum: values, const: value } = schema;
  const types = [schema.type].flat();
  const isLong = (schema.maxLength ?? Number.POSITIVE_INFINITY) > LARGE_TEXT;
  const hasForm =
    schema.format !== undefined || (/^\^.*\$$/.test(schema.pattern ?? '') && !/[*+]/.test(schema.pattern));
  return [
    ...(types.includes('string') && !values && value === undefined && isLong && !hasForm ? [path] : []),
    ...(types.includes('array') && schema.maxItems === undefined ? [path] : []),
    ...(types.includes('object') && additionalProperties !== false ? [path] : []),
    ...(items === undefined ? [] : unboundedIn(items, `${path}[]`)),
    ...[...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])].flatMap((each) =>
      unboundedIn(each, path),
    ),
    ...Object.entries<Schema>(properties).flatMap(([name, each]) =>
      unboundedIn(each, path === '' ? name : `${path}.${name}`),
    ),
  ];
};

const bodies: Schema[] = Object.values<Schema>(document.paths)
  .flatMap((item) => Object.values<Schema>(item))
  .flatMap(({ requestBody }) => requestBody?.content['application/json'].schema ?? []);

test('every part of every body has a bound, or is listed with what bounds it', () => {
  expect(bodies.length).toBeGreaterThan(40);
  const found = new Set(bodies.flatMap((body) => unboundedIn(body)));
  expect([...found].sort()).toEqual(Object.keys(LISTED).sort());
});

test('a body without a bound is found', () => {
  const object = { type: 'object', additionalProperties: false };
  const text = { type: 'string' };
  const list = { type: 'array', items: { ...text, maxLength: 10 } };
  const properties = { text, list, open: { type: 'object' }, large: { ...text, maxLength: 40_000 } };
  expect(unboundedIn({ ...object, properties })).toEqual(['text', 'list', 'open', 'large']);
});
