import { createPractice, referencesIn } from '@chairside/test-support';
import { expect } from 'vitest';
import { type ApiResponse, type TestApi, token } from './api.ts';

type Field = { path: string; wrap: (json: string) => string };

/** The places of values in a body of this schema, each with a function that builds the body around a value. */
const fieldsOf = (
  resolve: ReturnType<typeof referencesIn>,
  schema: any,
  path: string[] = [],
  wrap: Field['wrap'] = (json) => json,
): Field[] => {
  const { properties = {}, items, anyOf = [], ...rest } = resolve(schema) ?? {};
  // A read-only field is ignored in requests, so its schema has no type to check.
  const isIgnored =
    path.length > 0 && rest.type === undefined && anyOf.length === 0 && rest.enum === undefined;
  if (isIgnored) return [];
  return [
    ...(path.length > 0 ? [{ path: path.join('.'), wrap }] : []),
    ...anyOf
      .flatMap((each: any) => fieldsOf(resolve, each, path, wrap))
      .filter((field: Field) => field.path !== path.join('.')),
    ...Object.entries(properties).flatMap(([name, each]) =>
      fieldsOf(resolve, each, [...path, name], (json) => wrap(`{${JSON.stringify(name)}:${json}}`)),
    ),
    ...(items === undefined ? [] : fieldsOf(resolve, items, [...path, '0'], (json) => wrap(`[${json}]`))),
  ];
};

/** Whether a field takes this object: a reminder, and the body of a write before its method is known. */
const takesAnyKey = (path: string, json: string, body: string): boolean =>
  (json.includes('$') && body.includes('"reminders":[{')) ||
  (path === 'writes.0.body' && json.startsWith('{"$'));

/** Whether an issue is about the field, or a part of it. A write that is no object at all has an issue without a path. */
const namesField = (issues: { path: string }[] = [], field: string, isOfRow: boolean): boolean =>
  issues.some(
    ({ path }) =>
      path === field ||
      path.startsWith(`${field}.`) ||
      field.startsWith(`${path}.`) ||
      (isOfRow && [path, field].includes('')),
  );

/** @param where the operation and the field */
const expectRefused = (
  where: { method: string; template: string; path: string },
  { json }: ApiResponse,
): void => {
  // A batch responds with an error for each write.
  const row = json.results?.[0].error;
  const { statusCode, name, details } = row ?? json;
  const field = row === undefined ? where.path : where.path.replace(/^writes(\.0)?\.?/, '');
  const isNamed = namesField(details.issues, field, row !== undefined);
  expect({ ...where, statusCode, isNamed, name }).toEqual({
    ...where,
    ...{ statusCode: 400, isNamed: true, name: 'ValidationError' },
  });
};

/** Each test has an organization of its own, because calls are limited. */
export const newAdministrator = async (api: TestApi): Promise<string> => {
  const { administrator } = await createPractice(api.store);
  const factorsConfirmedTime = new Date();
  const { matchedCount } = await api.database
    .collection('sessions')
    .updateOne({ operatorId: administrator._id }, { $set: { factorsConfirmedTime } });
  expect(matchedCount).toBe(1);
  return token(administrator.token);
};

/**
 * Sends a value in each field of each body of the app's own document, and expects a refusal that names the field.
 *
 * @param json the value
 * @returns the fields, such as `post /api/patients name`
 */
export const refusedInAnyField = async (api: TestApi, json: string): Promise<string[]> => {
  const document = JSON.parse(api.app.openApi);
  const resolve = referencesIn(document);
  const as = await newAdministrator(api);
  const seen: string[] = [];
  for (const [template, item] of Object.entries<any>(document.paths)) {
    for (const [method, { requestBody, security }] of Object.entries<any>(item)) {
      if (requestBody === undefined) continue;
      for (const { path, wrap } of fieldsOf(resolve, requestBody.content['application/json'].schema)) {
        const isFree = takesAnyKey(path, json, wrap(json));
        const body = wrap(json);
        // A body without credentials may be shorter.
        const isTooLong = body.length > (security?.length === 0 ? 16_000 : 250_000);
        if (isFree || isTooLong) continue;
        const url = template.replace(/\{\w+\}/g, 'x');
        const response = await api.call(method.toUpperCase(), url, { as, body });
        expectRefused({ method, template, path }, response);
        seen.push(`${method} ${template} ${path}`);
      }
    }
  }
  return seen;
};
