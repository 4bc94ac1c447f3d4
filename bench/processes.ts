import { readdirSync, readFileSync, writeFileSync } from 'node:fs';

/** Milliseconds of a clock tick of `/proc`: Linux reports 100 a second on every machine. */
const TICK = 10;

type Stat = { pid: number; parent: number; cpu: number };

/** One line of `/proc/<pid>/stat`; undefined when the process is gone. See proc_pid_stat(5). */
const statOf = (pid: number): Stat | undefined => {
  try {
    // The name of the program is in parentheses and may contain spaces.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ').map(Number) ?? [];
    const [, parent = 0] = fields;
    // utime and stime of the process, then of its children that have ended.
    const ticks = fields.slice(11, 15).reduce((sum, each) => sum + each, 0);
    return { pid, parent, cpu: ticks * TICK };
  } catch {
    return undefined;
  }
};

/** Returns the CPU time of each of these processes and its descendants, in milliseconds. Linux only. */
export const cpuTimes = (pids: readonly number[]): number[] => {
  const stats = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => statOf(Number(name)) ?? []);
  const children = Map.groupBy(stats, ({ parent }) => parent);
  const sumOf = (pid: number): number =>
    (children.get(pid) ?? []).reduce((sum, child) => sum + child.cpu + sumOf(child.pid), 0);
  return pids.map((pid) => (stats.find((stat) => stat.pid === pid)?.cpu ?? 0) + sumOf(pid));
};

/** Returns the name of the program that a process runs. Linux only. */
export const programOf = (pid: number): string => readFileSync(`/proc/${pid}/comm`, 'utf8').trim();

/** Returns the highest resident memory since the start or the last reset, in MiB. Linux only. */
export const peakMemory = (pid: number): number =>
  Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;

/** Resets {@link peakMemory} to the current memory. */
export const resetPeakMemory = (pid: number): void => writeFileSync(`/proc/${pid}/clear_refs`, '5');

/**
 * Returns the memory of these processes together, in MiB: their proportional set size, in which each shares the pages of
 * the program with all processes that run it. Linux only.
 */
export const shareOfMemory = (pids: readonly number[]): number =>
  pids.reduce((sum, pid) => {
    const kibibytes = /^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1];
    return sum + Number(kibibytes) / 1024;
  }, 0);
