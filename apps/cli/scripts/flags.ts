import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Flag } from '../src/flags/flags.ts';

type Schema = {
  $ref?: string;
  type?: string | string[];
  enum?: string[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  description?: string;
};
type Parameter = {
  name: string;
  in: string;
  description?: string;
  required?: boolean;
  schema: Schema;
  $ref?: string;
};
type Operation = {
  operationId: string;
  parameters?: Parameter[];
  requestBody?: { content: { 'application/json': { schema: Schema } } };
  responses: Record<string, { content?: { 'application/json'?: { schema: Schema } } }>;
};

const DOCUMENT = new URL('../../../docs/openapi.json', import.meta.url);
/** The generated file. */
export const TABLE = fileURLToPath(new URL('../src/flags/flag-table.ts', import.meta.url));

/** Query parameters that the command line sets itself. */
const PAGING = ['limit', 'cursor', 'fields'];
/** These fields have no flag, because flags are visible in the list of processes. They come from a prompt or stdin. */
const SECRETS = ['password', 'newPassword'];
/** What answers a challenge is asked for, because it is known only after the first request. */
const ANSWERS = ['challenge', 'code', 'recoveryCode', 'assertion'];
/** Whether only the server sets a field. A body may send such a field back unchanged. */
const isServerOwned = (schema: Schema): boolean =>
  (schema.type === undefined && schema.enum === undefined && schema.anyOf === undefined) ||
  schema.description?.startsWith('Set by the server') === true;

const firstSentence = (text = ''): string => /^.*?[.:](?=\s|$)/s.exec(text)?.[0].replace(/[.:]$/, '') ?? text;

/** Reads the flags of each operation, and the columns of each list, from the OpenAPI document. */
export const readOperations = (): { flags: Record<string, Flag[]>; columns: Record<string, string[]> } => {
  const document = JSON.parse(readFileSync(DOCUMENT, 'utf8'));
  const resolve = <T extends { $ref?: string }>(part: T): T =>
    part.$ref === undefined
      ? part
      : part.$ref
          .split('/')
          .slice(1)
          .reduce((found, key) => found[key], document);

  const typeOf = (given: Schema): Pick<Flag, 'type' | 'choices'> => {
    const schema = resolve(given);
    const types = [schema.type ?? []].flat().filter((type) => type !== 'null');
    if (types[0] === 'array') {
      const items = resolve(schema.items ?? {});
      if (items.type === 'object') return { type: 'json' };
      return { type: 'strings', ...(items.enum && { choices: items.enum }) };
    }
    if (types[0] === 'object') return { type: 'json' };
    if (types[0] === 'boolean') return { type: 'boolean' };
    if (types[0] === 'integer' || types[0] === 'number') return { type: 'number' };
    return { type: 'string', ...(schema.enum && { choices: schema.enum }) };
  };
  const flagOf = (name: string, given: Schema, isRequired: boolean, text?: string): Flag => ({
    name,
    ...typeOf(given),
    description: firstSentence(text ?? given.description ?? resolve(given).description),
    ...(isRequired && { isRequired }),
  });

  const operations = Object.values(document.paths).flatMap((path) =>
    Object.values(path as object),
  ) as Operation[];
  const entries = operations.flatMap(({ operationId, parameters = [], requestBody }): [string, Flag[]][] => {
    if (operationId === undefined) return [];
    // The flags of an operation with a body are its fields.
    const query = (requestBody === undefined ? parameters : [])
      .map(resolve)
      .filter((parameter) => parameter.in === 'query' && !PAGING.includes(parameter.name))
      .map(({ name, schema, required = false, description }) => flagOf(name, schema, required, description));
    const { anyOf, ...only } = resolve(requestBody?.content['application/json'].schema ?? {});
    // A body of several kinds has the flags of the first kind. The others have commands of their own.
    const body = resolve(anyOf?.[0] ?? only);
    const isAnswer = body.properties?.challenge !== undefined || operationId === 'completeCodes';
    const withoutFlag = ['_id', 'lastEditTime', ...SECRETS, ...(isAnswer ? ANSWERS : [])];
    const fields = Object.entries(body.properties ?? {})
      .filter(([name, schema]) => !withoutFlag.includes(name) && !isServerOwned(schema))
      .map(([name, schema]) => flagOf(name, schema, body.required?.includes(name) ?? false));
    const flags = [...query, ...fields];
    return flags.length === 0 ? [] : [[operationId, flags]];
  });
  const columns = operations.flatMap(({ operationId, responses }): [string, string[]][] => {
    const { items } = resolve(responses['200']?.content?.['application/json']?.schema ?? {});
    if (items === undefined) return [];
    // A list of several kinds of rows has the columns of the first kind.
    const { anyOf, oneOf, ...row } = resolve(items);
    return [[operationId, Object.keys(resolve((anyOf ?? oneOf)?.[0] ?? row).properties ?? {})]];
  });
  return { flags: Object.fromEntries(entries), columns: Object.fromEntries(columns) };
};

/** The generated file with examples. */
export const EXAMPLES_TABLE = fileURLToPath(new URL('../src/listen/example-table.ts', import.meta.url));

type Example = { data: Record<string, unknown> };
type Webhook = { post: { requestBody: { content: { 'application/json': { example: Example } } } } };

/** Reads the example of each webhook from the OpenAPI document: its `data`, by the name of the event. */
export const readExamples = (): Record<string, Example['data']> => {
  const webhooks: Record<string, Webhook> = JSON.parse(readFileSync(DOCUMENT, 'utf8')).webhooks;
  return Object.fromEntries(
    Object.entries(webhooks).map(([name, { post }]) => [
      name,
      post.requestBody.content['application/json'].example.data,
    ]),
  );
};

/** The text of the table with examples, before formatting. */
export const examplesText = (): string =>
  `// Made from the OpenAPI document: pnpm --filter chairside generate\n\n/** The \`data\` of an example of each event, by its name. */\nexport const EXAMPLES: Readonly<Record<string, Readonly<Record<string, unknown>>>> = ${JSON.stringify(readExamples(), null, 2)};\n`;

/** The text of the table, before formatting. */
export const tableText = (): string => {
  const { flags, columns } = readOperations();
  return `// Made from the OpenAPI document: pnpm --filter chairside generate\nimport type { Flag } from './flags.ts';\n\n/** The flags of each operation, by its \`operationId\`. */\nexport const FLAGS: Readonly<Record<string, readonly Flag[]>> = ${JSON.stringify(flags, null, 2)};\n\n/** The fields of the rows of each list, by its \`operationId\`. */\nexport const COLUMNS: Readonly<Record<string, readonly string[]>> = ${JSON.stringify(columns, null, 2)};\n`;
};
