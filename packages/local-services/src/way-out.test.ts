import { describe, expect, it } from 'vitest';
import { noEngineText } from './way-out.ts';

const tried = [
  { source: 'MONGODB_URL', reason: 'not set' },
  { source: 'download of mongod', reason: 'getaddrinfo ENOTFOUND' },
];

describe('noEngineText', () => {
  it('lists the sources in the order tried, each with its reason', () => {
    const text = noEngineText('mongodb', tried, 'linux');
    expect(text).toContain('No MongoDB could be found or started');
    expect(text).toContain('  - MONGODB_URL: not set\n  - download of mongod: getaddrinfo ENOTFOUND\n');
  });

  it('contains one Docker command that starts both engines, on every system', () => {
    for (const platform of ['linux', 'darwin', 'win32'] as const) {
      const line = noEngineText('redis', [], platform)
        .split('\n')
        .find((each) => each.startsWith('docker run'));
      expect(line).toMatch(/mongo:.*redis:/);
    }
  });

  it('suggests Homebrew on macOS and apt for Redis on Linux', () => {
    expect(noEngineText('mongodb', [], 'darwin')).toContain('brew install mongodb-community');
    expect(noEngineText('redis', [], 'darwin')).toContain('brew install redis');
    expect(noEngineText('redis', [], 'linux')).toContain('apt-get install redis-server');
  });
});
