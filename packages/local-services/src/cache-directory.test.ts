import { homedir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { cacheDirectoryFrom } from './cache-directory.ts';

it('prefers the own variable, then the one of the desktop, then the folder of the system', () => {
  expect(cacheDirectoryFrom({ CHAIRSIDE_CACHE_DIR: '/own', XDG_CACHE_HOME: '/xdg' })).toBe('/own');
  expect(cacheDirectoryFrom({ XDG_CACHE_HOME: '/xdg' })).toBe('/xdg/chairside');
  expect(cacheDirectoryFrom({ XDG_CACHE_HOME: '' }).startsWith(join(homedir()))).toBe(true);
});
