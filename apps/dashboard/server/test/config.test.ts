import { expect, test } from 'vitest';
import { readConfig } from '../src/config.ts';

const valid = {
  PUBLIC_URL: 'https://dashboard.example.com',
  API_URL: 'http://127.0.0.1:3000',
  PROXY_SECRET: 'x'.repeat(32),
};

test('reports every problem at once, without a value', () => {
  const read = () =>
    readConfig({ PUBLIC_URL: 'http://dashboard.example.com', API_URL: 'api:3000/', PROXY_SECRET: 'short', PORT: 'x' });
  expect(read).toThrow(/PORT must be a port[\s\S]*PUBLIC_URL must start with https[\s\S]*API_URL must be an origin[\s\S]*PROXY_SECRET must be one or two/);
  expect(read).not.toThrow(/short|api:3000/);
});

test('accepts http only on a loopback address', () => {
  for (const PUBLIC_URL of ['http://127.0.0.1:3004', 'http://localhost:3004', 'http://[::1]:3004'])
    expect(readConfig({ ...valid, PUBLIC_URL }).PUBLIC_URL).toBe(PUBLIC_URL);
  for (const PUBLIC_URL of ['http://127.0.0.1.evil.example', 'https://a.example/', 'https://a.example/path', 'a'])
    expect(() => readConfig({ ...valid, PUBLIC_URL })).toThrow('PUBLIC_URL must');
});
