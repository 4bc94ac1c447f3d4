import { availableParallelism, cpus, totalmem } from 'node:os';

/** Returns the word after this option of the command line, such as `--write`. */
export const optionOf = (name: string): string | undefined => {
  const at = process.argv.indexOf(name);
  return at === -1 ? undefined : process.argv[at + 1];
};

/** Today, as in `2030-01-31`. */
export const today = (): string => new Date().toISOString().slice(0, 10);

/** The cores and the memory of this machine. */
export const machine = (): string =>
  `${availableParallelism()} cores of ${cpus()[0]?.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GiB`;
