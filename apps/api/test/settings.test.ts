import { SettingsError } from '@chairside/startup';
import { expect, test } from 'vitest';
import {
  configSchema as dispatcherSchema,
  readConfig as readDispatcherConfig,
} from '../../webhook-dispatcher/src/config.ts';
import { configSchema, readConfig } from '../src/config.ts';

const good = {
  MONGODB_URL: 'mongodb://localhost/chairside',
  REDIS_URL: 'redis://localhost',
  ENCRYPTION_KEYS: `1:${Buffer.alloc(32).toString('base64')}`,
};

/** The message of a refused configuration. Fails if the configuration is accepted. */
const refusalOf = (read: () => unknown): string => {
  try {
    read();
  } catch (error) {
    expect(error).toBeInstanceOf(SettingsError);
    return (error as SettingsError).message;
  }
  throw new Error('the configuration is accepted');
};

const NONSENSE = ['☃ hush', 'yes,no hush', '-1', '%zz', '\0'];

test.each([
  ['api', Object.keys(configSchema.shape), readConfig],
  ['dispatcher', Object.keys(dispatcherSchema.shape), readDispatcherConfig],
] as const)('the %s reports an invalid value of each setting in one message', (_app, names, read) => {
  for (const nonsense of NONSENSE) {
    const message = refusalOf(() => read(Object.fromEntries(names.map((name) => [name, nonsense]))));
    const refused = names.filter((name) => message.includes(`  ${name} must `));
    const accepted = names.filter((name) => !refused.includes(name));
    expect({ nonsense, accepted }).toEqual({ nonsense, accepted: [] });
    expect(message).not.toContain('hush');
  }
});

test.each([
  'mongodb://',
  'mongodb://a b',
  'mongodb://h/?option=hush',
  'mongodb://h:99999',
  'mongodb://user:hu@sh@h/x',
  'mongodb://h/?tls=hush',
  'mongodb://h/%zz',
  'mongodb://h/a$b',
  'mongodb://h/?tls=true&tlsCAFile=/hush.pem',
  'mongodb://h/?replicaSet=',
])('refuses MONGODB_URL=%s with its name and without its value', (url) => {
  const message = refusalOf(() => readConfig({ ...good, MONGODB_URL: url }));
  expect(message).toMatch(/^The configuration is not valid:\n {2}MONGODB_URL must [^\n]*$/);
  expect(message).not.toContain('hush');
});

test.each([
  ['mongodb://a,b:1/x?replicaSet=rs&w=1', 'mongodb+srv://cluster.example.com/?authSource=admin'],
  ['mongodb://user:p%40ss@[::1]/', 'mongodb://%2Ftmp%2Fmongodb-27017.sock/chairside'],
])('accepts MONGODB_URL=%s and %s', (...urls) => {
  for (const url of urls) expect(readConfig({ ...good, MONGODB_URL: url }).MONGODB_URL).toBe(url);
});

test('DASHBOARD_URL can be sent in a header, however it is written', () => {
  const read = (url: string) => readConfig({ ...good, DASHBOARD_URL: url }).DASHBOARD_URL;
  expect(read('https://zähne.example/ł\n')).toBe('https://xn--zhne-loa.example/%C5%82');
  expect(read('')).toBeUndefined();
});

test('TRUST_PROXY accepts addresses, networks and the names of proxy-addr', () => {
  const proxies = '10.0.0.1, fd00::/8,loopback';
  expect(readConfig({ ...good, TRUST_PROXY: proxies }).TRUST_PROXY).toEqual([
    '10.0.0.1',
    'fd00::/8',
    'loopback',
  ]);
  expect(readConfig(good).TRUST_PROXY).toEqual([]);
});
