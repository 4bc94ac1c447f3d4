import { readFile } from 'node:fs/promises';
import { generateTypes, TYPES } from '@chairside/publishing/client-types';
import { expect, it } from 'vitest';

it('src/schema.ts contains the types of docs/openapi.json', async () => {
  const message = 'run `pnpm --filter @chairside/publishing client-types`';
  expect((await readFile(TYPES, 'utf8')) === (await generateTypes()), message).toBe(true);
});
