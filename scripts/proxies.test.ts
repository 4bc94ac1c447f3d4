import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { configSchema as api } from '../apps/api/src/config.ts';
import { bodyLimits } from '../apps/api/src/http/json-bodies.ts';
import { configSchema as dashboard } from '../apps/dashboard/server/src/config.ts';
import { dashboardBodyLimits } from '../apps/dashboard/server/src/forwarding/bodies.ts';
import { configSchema as mcp } from '../apps/mcp/src/config.ts';
import { connectorBodyLimits } from '../apps/mcp/src/http/error-handler.ts';
import { connectionLimits } from '../packages/http-server/src/connections.ts';

/*
 * The files of deploy/proxies agree with the limits of the services, so that these refuse with their own errors.
 * apps/demo/test/proxies.release.test.ts runs the files.
 */

const read = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');
const limitOf = (wanted: string): number => {
  const found = connectionLimits.find(({ id }) => id === wanted);
  if (found === undefined) throw new Error(`there is no limit ${wanted}`);
  return found.value;
};
/** The largest body of all services, in KiB. */
const LARGEST_BODY = Math.max(
  ...[...bodyLimits, ...dashboardBodyLimits, ...connectorBodyLimits]
    .filter(({ unit }) => unit === 'KiB')
    .map(({ value }) => value),
);
const PORTS = { api, dashboard: dashboard, mcp };

describe('nginx.conf', () => {
  const config = read('deploy/proxies/nginx.conf');
  const valuesOf = (directive: string): string[] =>
    [...config.matchAll(new RegExp(`^ *${directive} +(.+);$`, 'gm'))].map(([, value = '']) => value);
  /** The only value of a directive, as a number, with its unit. */
  const numberOf = (directive: string, unit: string): number => {
    const [value = '', ...others] = new Set(valuesOf(directive));
    expect({ directive, others, unit: value.replace(/^\d+/, '') }).toEqual({ directive, others: [], unit });
    return Number.parseInt(value, 10);
  };

  test('lets pass what the services refuse themselves, and keeps bodies in memory', () => {
    expect(numberOf('client_max_body_size', 'm') * 1024).toBeGreaterThan(LARGEST_BODY);
    expect(numberOf('client_body_buffer_size', 'm')).toBe(numberOf('client_max_body_size', 'm'));
    const [, header] = /^4 (\d+)k$/.exec(valuesOf('large_client_header_buffers')[0] ?? '') ?? [];
    expect(Number(header)).toBeGreaterThan(limitOf('headers'));
  });

  test('has the timeouts of the services, and closes idle connections to them first', () => {
    expect(numberOf('client_header_timeout', 's')).toBe(limitOf('headers_time'));
    expect(numberOf('client_body_timeout', 's')).toBe(limitOf('request_time'));
    expect(numberOf('proxy_send_timeout', 's')).toBe(limitOf('request_time'));
    expect(valuesOf('keepalive_timeout')).toHaveLength(Object.keys(PORTS).length);
    expect(numberOf('keepalive_timeout', 's')).toBeLessThan(limitOf('idle_connection'));
  });

  test('repeats no request that may have changed something, and buffers no response', () => {
    expect(valuesOf('proxy_next_upstream')).toEqual(['error timeout']);
    expect(valuesOf('proxy_buffering')).toEqual(['off']);
    expect(valuesOf('gzip')).toEqual([]);
  });

  test('leads to the ports of the services', () => {
    for (const [name, { shape }] of Object.entries(PORTS)) {
      const [, servers = ''] = new RegExp(`upstream ${name} \\{([^}]+)`).exec(config) ?? [];
      const ports = [...servers.matchAll(/server [\d.]+:(\d+)/g)].map(([, port]) => Number(port));
      expect({ name, ports }).toEqual({ name, ports: Array(2).fill(shape.PORT.parse(undefined)) });
    }
  });
});

describe('Caddyfile', () => {
  const config = read('deploy/proxies/Caddyfile');

  test('leads to the ports of the services, and closes idle connections to them first', () => {
    for (const [name, { shape }] of Object.entries(PORTS)) {
      const port = shape.PORT.parse(undefined);
      const host = new RegExp(
        `^${name}\\.example\\.com \\{[^]+?reverse_proxy 10.0.0.11:${port} 10.0.0.12:${port} `,
        'm',
      );
      expect(config).toMatch(host);
    }
    const [, idle] = /^\t\tkeepalive (\d+)s$/m.exec(config) ?? [];
    expect(Number(idle)).toBeLessThan(limitOf('idle_connection'));
    const [, header] = /read_header (\d+)s/.exec(config) ?? [];
    expect(Number(header)).toBe(limitOf('headers_time'));
  });

  test('repeats only what changes nothing, leaves no server out because of its callers, and changes no tag', () => {
    const directives = [...config.matchAll(/^\t+(\w+)/gm)].map(([, directive]) => directive);
    expect(directives).toEqual(expect.arrayContaining(['lb_try_duration', 'health_uri', 'flush_interval']));
    for (const directive of ['lb_retry_match', 'fail_duration', 'encode', 'request_body'])
      expect(directives).not.toContain(directive);
  });
});
