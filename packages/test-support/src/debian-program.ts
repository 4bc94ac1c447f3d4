import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { isListening, killAtExit } from '@chairside/processes';
import { vi } from 'vitest';
import { LONGEST_WAIT_MS } from './longest-wait.ts';

const run = promisify(execFile);

/** A folder with the files of a package of Debian or Ubuntu. Nothing is installed on the host. */
export type DebianPackage = {
  folder: string;
  /**
   * Starts a program of the package. Resolves when it listens on the port of the loopback interface.
   *
   * @param path the program, as in `usr/sbin/nginx`
   * @returns what it has written to its standard streams so far, and a function that ends it
   * @throws if it ends before it listens
   */
  start(
    path: string,
    args: readonly string[],
    port: number,
  ): Promise<{ output(): string; stop(): Promise<void> }>;
  /** Removes the folder. */
  remove(): Promise<void>;
};

/** @throws if the package cannot be downloaded */
export const unpackDebianPackage = async (name: string): Promise<DebianPackage> => {
  const folder = await mkdtemp(join(tmpdir(), `${name}-`));
  // apt downloads as a user of its own.
  await chmod(folder, 0o777);
  await run('apt-get', ['--quiet', '--yes', 'download', name], { cwd: folder });
  const [archive = ''] = (await readdir(folder)).filter((file) => file.endsWith('.deb'));
  await run('dpkg-deb', ['-x', archive, '.'], { cwd: folder });
  return {
    folder,
    async start(path, args, port) {
      // The program keeps its state, such as certificates, in the folder.
      const env = { ...process.env, HOME: folder, XDG_CONFIG_HOME: folder, XDG_DATA_HOME: folder };
      const child = killAtExit(
        spawn(join(folder, path), args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] }),
      );
      let output = '';
      for (const stream of [child.stdout, child.stderr])
        stream.setEncoding('utf8').on('data', (text: string) => {
          output += text;
        });
      const ended = once(child, 'close').then(([code]) => {
        throw new Error(`${path} ended with ${code}:\n${output}`);
      });
      ended.catch(() => {});
      await Promise.race([ended, vi.waitUntil(() => isListening(port), { timeout: LONGEST_WAIT_MS })]);
      return {
        output: () => output,
        async stop() {
          child.kill();
          await ended.catch(() => {});
        },
      };
    },
    remove: () => rm(folder, { recursive: true }),
  };
};
