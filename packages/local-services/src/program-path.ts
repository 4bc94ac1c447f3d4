import { fileURLToPath } from 'node:url';

/** The path of a program of this package that runs as a process of its own: beside this file, as source or built. */
export function programPath(name: 'watchdog-process' | 'mongod-download-process'): string {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  return fileURLToPath(new URL(`./${name}.${extension}`, import.meta.url));
}
