import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { configSchema, readConfig } from '../src/config.ts';

const valid = {
  PUBLIC_URL: 'https://dashboard.example.com',
  API_URL: 'http://127.0.0.1:3000',
  PROXY_SECRET: 'x'.repeat(32),
};

test('reports every problem at once, without a value', () => {
  const read = () =>
    readConfig({
      PUBLIC_URL: 'http://dashboard.example.com',
      API_URL: 'api:3000/',
      PROXY_SECRET: 'short',
      PORT: 'x',
    });
  expect(read).toThrow(
    /PORT must be a port[\s\S]*PUBLIC_URL must start with https[\s\S]*API_URL must be an origin[\s\S]*PROXY_SECRET must be one or two/,
  );
  expect(read).not.toThrow(/short|api:3000/);
});

test('accepts http only on a loopback address', () => {
  for (const PUBLIC_URL of ['http://127.0.0.1:3004', 'http://localhost:3004', 'http://[::1]:3004'])
    expect(readConfig({ ...valid, PUBLIC_URL }).PUBLIC_URL).toBe(PUBLIC_URL);
  for (const PUBLIC_URL of [
    'http://127.0.0.1.evil.example',
    'https://a.example/',
    'https://a.example/path',
    'a',
  ])
    expect(() => readConfig({ ...valid, PUBLIC_URL })).toThrow('PUBLIC_URL must');
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
  const page = readFileSync(new URL('../../../../docs/configuration.md', import.meta.url), 'utf8');
  const [, table = ''] = page.split('| Name | Meaning | Default |\n| --- | --- | --- |\n');
  expect(table.slice(0, table.indexOf('\n\n')).split('\n')).toEqual(rows);
});
