import { readFile } from 'node:fs/promises';
import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript';

const document = new URL('../../../docs/openapi.json', import.meta.url);
/** The file into which the result of {@link generateTypes} is written. */
export const TYPES = new URL('../../client/src/schema.ts', import.meta.url);

/** The declarations that the client uses. Including `paths` would double the size of the file. */
const KEPT = ['components', 'operations'];

const HEADER = `// Made from docs/openapi.json by packages/publishing. Do not edit it; run \`pnpm --filter @chairside/publishing client-types\`.
`;

/**
 * TypeScript tells the options of a union apart by their fields. With a discriminator, openapi-typescript would replace
 * the description of the field.
 */
const withoutDiscriminators = <T>(document: T): T =>
  JSON.parse(JSON.stringify(document, (name, value) => (name === 'discriminator' ? undefined : value)));

/** Returns the types of the committed OpenAPI document as the text of a TypeScript module. */
export const generateTypes = async (): Promise<string> => {
  const api: OpenAPI3 = JSON.parse(await readFile(document, 'utf8'));
  const nodes = await openapiTS(
    // Webhooks are removed, because they have no operation that a client can call.
    { ...withoutDiscriminators(api), webhooks: {} },
    {
      // With this option, a field with a default may be omitted from a request.
      defaultNonNullable: false,
      silent: true,
    },
  );
  const kept = nodes.filter((node) => KEPT.includes((node as { name?: { text?: string } }).name?.text ?? ''));
  if (kept.length !== KEPT.length)
    throw new Error(`openapi-typescript did not generate all of these types: ${KEPT.join(', ')}`);
  return HEADER + astToString(kept);
};
