import { readdirSync, readFileSync } from 'node:fs';

/** What a file of a process shows; empty if the process has ended, or belongs to somebody else. */
const read = (pid: string, name: string): string => {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return '';
  }
};

/**
 * Ends the processes that use an engine of this run, and that no test has ended.
 *
 * @param mongodbUrl the URL of the run's own MongoDB
 * @throws {Error} if there was one: a later run would share the machine with it
 */
export const endLeftovers = (mongodbUrl: string): void => {
  if (process.platform !== 'linux') return;
  const { host } = new URL(mongodbUrl);
  const found = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => read(pid, 'environ').includes(`MONGODB_URL=mongodb://${host}/`));
  const commands = found.map((pid) => `  ${pid} ${read(pid, 'cmdline')}`);
  for (const pid of found) process.kill(Number(pid), 'SIGKILL');
  if (found.length > 0)
    throw new Error(
      `These processes were left by a test, which must end what it starts:\n${commands.join('\n')}`,
    );
};
