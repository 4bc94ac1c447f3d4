import { existsSync, readFileSync } from 'node:fs';
import { VERSION } from '@chairside/startup';
import { expect, test } from 'vitest';
import { tools } from '../src/tools/index.ts';

const folder = new URL('../../../deploy/directory/', import.meta.url);
const read = (name: string): string => readFileSync(new URL(name, folder), 'utf8');
const server = JSON.parse(read('server.json'));

test('the entry of the registry has the version of the product and the lengths that the schema allows', () => {
  expect(server.version).toBe(VERSION);
  expect(server.name).toMatch(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/);
  expect(server.description.length).toBeLessThanOrEqual(100);
  expect(server.remotes).toEqual([
    { type: 'streamable-http', url: expect.stringMatching(/^https:.*\/mcp$/) },
  ]);
});

test('the texts name every tool, the description and an icon', () => {
  const texts = read('README.md');
  for (const { name } of tools) expect(texts).toContain(`\`${name}\``);
  expect(texts).toContain(server.description);
  expect(existsSync(new URL('icon.svg', folder))).toBe(true);
});
