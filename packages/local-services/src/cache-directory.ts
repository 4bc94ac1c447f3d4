import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

/** The absolute path of the directory for downloads and builds. It may be deleted whenever nothing is running. */
export function cacheDirectoryFrom(environment: NodeJS.ProcessEnv): string {
  const { CHAIRSIDE_CACHE_DIR: own, XDG_CACHE_HOME: xdg, LOCALAPPDATA: local } = environment;
  if (own) return resolve(own);
  if (xdg) return join(resolve(xdg), 'chairside');
  if (process.platform === 'darwin') return join(homedir(), 'Library', 'Caches', 'chairside');
  if (process.platform === 'win32' && local) return join(local, 'chairside', 'cache');
  return join(homedir(), '.cache', 'chairside');
}
