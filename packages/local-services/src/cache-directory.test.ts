import { homedir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { cacheDirectoryFrom } from './cache-directory.ts';

it('prefers CHAIRSIDE_CACHE_DIR, then XDG_CACHE_HOME, then the default folder of the system', () => {
  expect(cacheDirectoryFrom({ CHAIRSIDE_CACHE_DIR: '/own', XDG_CACHE_HOME: '/xdg' })).toBe('/own');
  expect(cacheDirectoryFrom({ XDG_CACHE_HOME: '/xdg' })).toBe('/xdg/chairside');
  expect(cacheDirectoryFrom({ XDG_CACHE_HOME: '' }).startsWith(join(homedir()))).toBe(true);
});
