import { expect, test } from 'vitest';
import { z } from 'zod';
import {
  port,
  readSettings,
  SettingsError,
  sharedSettings,
  startFailure,
  UnusableDatabaseError,
  untilBound,
} from './settings.ts';

const schema = z.object({ ...sharedSettings, PORT: port.prefault('3000') });
const key = Buffer.alloc(32).toString('base64');
const good = {
  MONGODB_URL: 'mongodb://localhost/chairside',
  REDIS_URL: 'redis://localhost',
  ENCRYPTION_KEYS: `1:${key}`,
};

test('uses defaults, and treats an empty variable as absent', () => {
  expect(readSettings(schema, { ...good, PORT: '', LOG_LEVEL: '' })).toMatchObject({
    PORT: 3000,
    LOG_LEVEL: 'info',
  });
});

test('reports every invalid setting at once, by name and without values', () => {
  const broken = {
    MONGODB_URL: 'postgres://secret-host',
    ENCRYPTION_KEYS: '1:c2hvcnQ=',
    REDIS_URL: 'redis+cluster://secret-host/1',
    REDIS_CA_FILE: '/secret-host.pem',
    REDIS_PREFIX: 'secret-host',
    WEBHOOK_ALLOWED_NETWORKS: '10.0.0.0/8,loopback',
    LOG_LEVEL: 'loud',
    PORT: '70000',
  };
  const error = (() => {
    try {
      readSettings(schema, broken);
    } catch (thrown) {
      return thrown;
    }
  })();
  expect(error).toBeInstanceOf(SettingsError);
  const { message } = error as SettingsError;
  for (const name of Object.keys(broken)) expect(message).toContain(`  ${name} `);
  expect(message).not.toContain('secret-host');
  expect(message).not.toContain('c2hvcnQ');
  expect(startFailure(error)).toBe(message);
  expect(() => readSettings(schema, {})).toThrow(/MONGODB_URL is required.*REDIS_URL is required/s);
});

test.each([
  ['two keys', `2:${key},1:${key}`, true],
  ['one id twice', `1:${key},1:${key}`, false],
  ['without an id', key, false],
  ['31 bytes', `1:${Buffer.alloc(31).toString('base64')}`, false],
])('ENCRYPTION_KEYS with %s', (_name, keys, isFine) => {
  const read = () => readSettings(schema, { ...good, ENCRYPTION_KEYS: keys });
  if (isFine) expect(read().ENCRYPTION_KEYS).toBe(keys);
  else expect(read).toThrow('ENCRYPTION_KEYS');
});

test('the error for an unusable bind address names the setting to change', async () => {
  const failing = (code: string) =>
    untilBound(Promise.reject(Object.assign(new Error(), { code, port: 80, address: '192.0.2.1' })), {
      host: 'HOST',
      port: 'PORT',
    });
  await expect(failing('EADDRINUSE')).rejects.toThrow('PORT is taken: another program listens on port 80');
  await expect(failing('EACCES')).rejects.toThrow('Set PORT to a port above 1023');
  await expect(failing('EADDRNOTAVAIL')).rejects.toThrow('Set HOST to one of its addresses');
  await expect(failing('ENOTFOUND')).rejects.toThrow('Set HOST to an IP address');
  await expect(failing('EMFILE')).rejects.not.toBeInstanceOf(SettingsError);
});

test.each([' ', '-1', '1e3', '0x10', '65536', '1.5', '３'])('refuses the port %j', (text) => {
  expect(port.safeParse(text).success).toBe(false);
});

test('a failed start has a message only if an operator of the service can fix the error', () => {
  expect(startFailure(new UnusableDatabaseError('Drop the index.'))).toBe('Drop the index.');
  expect(startFailure(new TypeError('bug'))).toBeUndefined();
});
