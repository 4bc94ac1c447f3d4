import { expect, test } from 'vitest';
import { z } from 'zod';
import {
  port,
  readSettings,
  SettingsError,
  sharedSettings,
  startFailure,
  UnusableDatabaseError,
} from './settings.ts';

const schema = z.object({ ...sharedSettings, PORT: port.default(3000) });
const key = Buffer.alloc(32).toString('base64');
const good = {
  MONGODB_URL: 'mongodb://localhost/chairside',
  REDIS_URL: 'redis://localhost',
  ENCRYPTION_KEYS: `1:${key}`,
};

test('defaults; an empty variable counts as absent', () => {
  expect(readSettings(schema, { ...good, PORT: '', LOG_LEVEL: '' })).toMatchObject({
    PORT: 3000,
    LOG_LEVEL: 'info',
  });
});

test('tells every problem at once, by name, and no value', () => {
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

test('a start that fails for a reason of the machine ends in a sentence', () => {
  const taken = Object.assign(new Error(), { code: 'EADDRINUSE', port: 3000, address: '127.0.0.1' });
  expect(startFailure(taken)).toContain('Port 3000 of 127.0.0.1 is taken');
  expect(startFailure(new UnusableDatabaseError('Drop the index.'))).toBe('Drop the index.');
  expect(startFailure(new TypeError('bug'))).toBeUndefined();
});
