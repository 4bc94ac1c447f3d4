import { expect, test } from 'vitest';
import { checkConnectorUrl, checkPublicOrigin, isOrigin } from './web-addresses.ts';

test('accepts the address of the connector only in the form that clients compare, and without TLS only on this machine', () => {
  for (const value of [
    'https://mcp.example.com/mcp',
    'https://example.com/a/mcp',
    'https://example.com:8443/mcp',
    'http://127.0.0.1:3007/mcp',
    'http://localhost/mcp',
    'http://[::1]/mcp',
  ])
    expect(() => checkConnectorUrl(value), value).not.toThrow();
  for (const value of [
    'mcp',
    'ftp://127.0.0.1/mcp',
    'http://mcp.example.com/mcp',
    'http://127.0.0.1.example.com/mcp',
    'https://mcp.example.com',
    'https://mcp.example.com/mcp/',
    'https://mcp.example.com/other',
    'https://MCP.example.com/mcp',
    'https://mcp.example.com:443/mcp',
    'https://mcp.example.com/mcp?x=1',
    'https://mcp.example.com/mcp#x',
    'https://user@mcp.example.com/mcp',
    'https://mcp.example.com/a:id/mcp',
  ])
    expect(() => checkConnectorUrl(value), value).toThrow(/^must/);
});

test('accepts a public origin without TLS only on this machine', () => {
  for (const value of [
    'https://a.example',
    'https://a.example:8443',
    'http://127.0.0.1:3004',
    'http://[::1]',
  ])
    expect(() => checkPublicOrigin(value), value).not.toThrow();
  for (const value of [
    'a',
    'http://a.example',
    'http://127.0.0.1.evil.example',
    'https://a.example/',
    'https://a.example/path',
    'https://A.example',
    'ftp://127.0.0.1',
  ])
    expect(() => checkPublicOrigin(value), value).toThrow(/^must/);
  expect(['http://api:3000', 'http://api:3000/', 'api:3000', 'ftp://api'].map(isOrigin)).toEqual([
    true,
    false,
    false,
    false,
  ]);
});
