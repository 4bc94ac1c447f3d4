import { expect, test } from 'vitest';
import { canonicalResource, withCanonicalResources } from './resource.ts';

const MCP = 'https://mcp.example.com/mcp';

test.each([
  MCP,
  `${MCP}/`,
  'https://MCP.example.com/mcp',
  'https://mcp.example.com:443/mcp/',
  'HTTPS://mcp.example.com/./mcp',
])('%s is the connector', (resource) => {
  expect(canonicalResource(resource, MCP)).toBe(MCP);
  expect(canonicalResource(resource, `${MCP}/`)).toBe(`${MCP}/`);
});

test.each([
  'https://mcp.example.com/',
  'https://mcp.example.com/mcp//',
  'https://mcp.example.com/MCP',
  `${MCP}?x=1`,
  `${MCP}#x`,
  'http://mcp.example.com/mcp',
  'https://mcp.example.com:8443/mcp',
  'https://mcp.example.com.evil.example/mcp',
  'mcp',
  '',
])('%j is another resource', (resource) => {
  expect(canonicalResource(resource, MCP)).toBe(resource);
});

test('changes only the resources of a form', () => {
  const form = (resources: readonly string[]) =>
    new URLSearchParams([
      ['code', 'a b+c'],
      ...resources.map((each): [string, string] => ['resource', each]),
    ]).toString();
  expect(withCanonicalResources(form([`${MCP}/`]), MCP)).toBe(form([MCP]));
  expect(withCanonicalResources(form([MCP, `${MCP}/`]), MCP)).toBe(form([MCP]));
  expect(withCanonicalResources(form(['https://other.example/']), MCP)).toBe(
    form(['https://other.example/']),
  );
  expect(withCanonicalResources('code=a%20b', MCP)).toBe('code=a%20b');
});
