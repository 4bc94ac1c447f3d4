import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { configSchema, readConfig } from '../src/config.ts';

const valid = {
  MCP_URL: 'https://mcp.example.com/mcp',
  AUTHORIZATION_SERVER_URL: 'https://dashboard.example.com',
  INTROSPECTION_URL: 'http://dashboard:3006/introspect',
  INTROSPECTION_SECRET: 'x'.repeat(32),
  MONGODB_URL: 'mongodb://localhost/chairside',
  REDIS_URL: 'redis://localhost',
};

test('reports every problem at once, without a value', () => {
  const wrong = Object.fromEntries(Object.keys(valid).map((name) => [name, 'wrong-value']));
  const read = () => readConfig({ ...wrong, PORT: 'x', MONGODB_TIMEOUT_MS: '1' });
  for (const name of [...Object.keys(valid), 'PORT', 'MONGODB_TIMEOUT_MS'])
    expect(read).toThrow(new RegExp(`^ {2}${name} must`, 'm'));
  expect(read).not.toThrow(/wrong-value/);
  expect(() => readConfig({})).toThrow(/MCP_URL is required[\s\S]*REDIS_URL is required/);
});

test('docs/configuration.md has a row for each setting', () => {
  const { properties = {}, required = [] } = z.toJSONSchema(configSchema, {
    io: 'input',
    unrepresentable: 'any',
  });
  const rows = Object.entries(properties as Record<string, { description?: string; default?: unknown }>).map(
    ([name, { description, default: value }]) => {
      const shown = required.includes(name) ? 'required' : value === '' ? 'none' : `\`${value}\``;
      return `| \`${name}\` | ${description} | ${shown} |`;
    },
  );
  const page = readFileSync(new URL('../../../docs/configuration.md', import.meta.url), 'utf8');
  const [, section = ''] = page.split('\n## Connector\n');
  const [, table = ''] = section.split('| Name | Meaning | Default |\n| --- | --- | --- |\n');
  expect(table.slice(0, table.indexOf('\n\n')).split('\n')).toEqual(rows);
});
