import { describe, expect, it } from 'vitest';
import { isAtLeast, versionIn } from './version.ts';

describe('versionIn', () => {
  it.each([
    ['Redis server v=7.0.15 sha=00000000:0 malloc=jemalloc-5.3.0 bits=64', '7.0.15'],
    ['Valkey server v=8.1.1 sha=00000000:0', '8.1.1'],
    ['db version v8.2.6\nBuild Info: {', '8.2.6'],
    ['go version go1.26.8 linux/amd64', '1.26.8'],
  ])('finds the version in %j', (text, version) => {
    expect(versionIn(text)).toBe(version);
  });

  it('finds no version in a text without one', () => {
    expect(versionIn('go version devel linux/amd64')).toBeUndefined();
  });
});

describe('isAtLeast', () => {
  it.each([
    ['6.2.0', '6.2.0', true],
    ['6.10.0', '6.9.9', true],
    ['6.0.16', '6.2.0', false],
    ['7', '6.2.0', true],
    ['1.25', '1.25.5', false],
  ])('%s against %s: %s', (version, minimum, expected) => {
    expect(isAtLeast(version, minimum)).toBe(expected);
  });
});
