import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { freePort } from '@chairside/processes';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { choosePorts } from './ports.ts';

let taken: Server;
let takenPort: number;
beforeAll(async () => {
  taken = createServer();
  taken.listen(0, '127.0.0.1');
  await once(taken, 'listening');
  takenPort = (taken.address() as AddressInfo).port;
});
afterAll(() => void taken.close());

const choose = async (environment: NodeJS.ProcessEnv, kept = {}) => {
  const lines: string[] = [];
  const ports = await choosePorts(environment, kept, (line) => lines.push(line));
  return { ports, lines };
};

test('API_PORT comes before PORT, and 0 lets the system choose', async () => {
  const { ports } = await choose({ API_PORT: '0', PORT: String(takenPort), METRICS_PORT: '0' });
  expect(ports.api).not.toBe(takenPort);
  expect(new Set(Object.values(ports)).size).toBe(11);
});

test('a port that a variable names is an error if it is taken, and the error names the variable', async () => {
  await expect(choose({ PORT: String(takenPort) })).rejects.toThrow(`Port ${takenPort} (PORT) is in use`);
  await expect(choose({ HEALTH_PORT: String(takenPort) })).rejects.toThrow('set HEALTH_PORT to another port');
  await expect(choose({ RECEIVER_PORT: 'http' })).rejects.toThrow('RECEIVER_PORT must be a port');
});

test('without a variable, a taken port is replaced by one from 3010 on, and a line reports it', async () => {
  const { ports, lines } = await choose({}, { dispatcher: takenPort });
  expect(ports.dispatcher).toBeGreaterThanOrEqual(3010);
  expect(lines).toContain(`port ${takenPort} is in use: the dispatcher uses ${ports.dispatcher}`);
});

test('the port of the last start is used again while it is free, also where 0 allows any port', async () => {
  const kept = { api: await freePort(), dashboard: takenPort };
  const { ports } = await choose({ API_PORT: '0', DASHBOARD_PORT: '0' }, kept);
  expect(ports.api).toBe(kept.api);
  expect(ports.dashboard).not.toBe(takenPort);
});
