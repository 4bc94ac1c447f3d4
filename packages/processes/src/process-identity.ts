import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

/**
 * Identifies a process among all processes that have had its pid. `birth` is the start time of the process, on Linux
 * together with the boot of the machine.
 */
export type ProcessIdentity = { pid: number; birth: string };

/** Returns undefined when no process with this pid runs. A zombie without other threads does not count as running. */
export async function identify(pid: number): Promise<ProcessIdentity | undefined> {
  const birth = await birthOf(pid);
  return birth === undefined ? undefined : { pid, birth };
}

/**
 * Returns whether a process of this user has this pid. This is cheaper than `isAlive`, which also detects that a pid
 * was reused.
 */
export function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Returns whether the same process still runs. */
export async function isAlive(identity: ProcessIdentity): Promise<boolean> {
  const now = await identify(identity.pid);
  return now?.birth === identity.birth;
}

function birthOf(pid: number): Promise<string | undefined> {
  if (process.platform === 'linux') return birthOnLinux(pid);
  return process.platform === 'win32' ? birthOnWindows(pid) : birthFromPs(pid);
}

async function birthOnLinux(pid: number): Promise<string | undefined> {
  const fields = await statFields(pid);
  if (fields === undefined) return undefined;
  // When a process is killed, its first thread can end before the other threads, which still hold its ports.
  const [state, threads] = [fields[0], Number(fields[17])];
  if (state === 'Z' && threads <= 1) return undefined;
  const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8');
  return `${boot.trim()}/${fields[19]}`;
}

/**
 * The fields of /proc/<pid>/stat, starting with the third (state). They are read after the second field, the name,
 * because that field may contain spaces and brackets.
 */
async function statFields(pid: number): Promise<string[] | undefined> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined;
  }
}

/** Untested: no Windows was available. */
async function birthOnWindows(pid: number): Promise<string | undefined> {
  const command = `(Get-Process -Id ${pid} -ErrorAction Stop).StartTime.ToFileTimeUtc()`;
  try {
    const { stdout } = await promisify(execFile)('powershell.exe', ['-NoProfile', '-Command', command]);
    return stdout.trim() || undefined;
  } catch {
    return undefined;
  }
}

async function birthFromPs(pid: number): Promise<string | undefined> {
  try {
    const { stdout } = await promisify(execFile)('ps', ['-o', 'stat=,lstart=', '-p', String(pid)]);
    const text = stdout.trim();
    return text === '' || text.startsWith('Z') ? undefined : text.replace(/^\S+\s+/, '');
  } catch {
    return undefined;
  }
}

/**
 * Returns the direct children of a process, for example the backends of a database server. Only Linux is supported; on
 * other systems the result is empty.
 */
export async function childrenOf(pid: number): Promise<number[]> {
  try {
    const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
    return text.split(' ').filter(Boolean).map(Number);
  } catch {
    return [];
  }
}
