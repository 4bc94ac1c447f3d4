import { readFileSync } from 'node:fs';
import { oauthConfigOf } from '@chairside/authorization-server';
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

test('the authorization server needs its own settings, which are reported with all others', () => {
  const messageOf = (settings: Record<string, string>): string => {
    try {
      return JSON.stringify(oauthConfigOf(readConfig({ ...valid, ...settings })) ?? 'none');
    } catch (error) {
      return (error as Error).message;
    }
  };
  expect(messageOf({})).toBe('"none"');
  const oauth = {
    MCP_URL: 'https://mcp.example.com/mcp',
    MONGODB_URL: 'mongodb://127.0.0.1/chairside',
    OAUTH_KEYS: `1:${'A'.repeat(43)}=`,
    INTROSPECTION_SECRET: 'y'.repeat(32),
  };
  expect(messageOf(oauth)).toContain('"MCP_URL":"https://mcp.example.com/mcp"');
  expect(messageOf({ MCP_URL: oauth.MCP_URL, PORT: 'x' }).split('\n').slice(1)).toEqual([
    '  PORT must be a port from 0 to 65535',
    '  MONGODB_URL is required with MCP_URL',
    '  OAUTH_KEYS is required with MCP_URL',
    '  INTROSPECTION_SECRET is required with MCP_URL',
  ]);
  for (const [name, values] of Object.entries({
    MCP_URL: [
      'http://mcp.example.com/mcp',
      'https://mcp.example.com/mcp/',
      'https://a@mcp.example.com/mcp',
      'mcp',
    ],
    MONGODB_URL: ['mongo', 'mongodb://a b/'],
    OAUTH_KEYS: ['x', `${oauth.OAUTH_KEYS},${oauth.OAUTH_KEYS}`],
    INTROSPECTION_SECRET: ['short', `${'y'.repeat(32)},${'y'.repeat(32)},${'y'.repeat(32)}`],
    OAUTH_REDIRECT_SCHEMES: ['javascript', 'https', 'Cursor', 'a b'],
    OAUTH_CLIENT_HOSTS: ['https://claude.ai', 'claude.ai:8443', '*.claude.ai', '127.0.0.1'],
  })) {
    for (const value of values) {
      const problems = messageOf({ ...oauth, [name]: value }).split('\n');
      expect([value, problems.length, problems[1]]).toEqual([
        value,
        2,
        expect.stringContaining(`  ${name} must`),
      ]);
    }
  }
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
