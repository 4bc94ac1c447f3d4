import type { ChildProcess } from 'node:child_process';

const running = new Set<ChildProcess>();
let isWatching = false;

/**
 * Sends SIGKILL to the child when this process exits, so that the child does not outlive it. This does not work if this
 * process is itself killed with SIGKILL; use `startWatchdog` for that case.
 *
 * @returns the child
 */
export function killAtExit<Child extends ChildProcess>(child: Child): Child {
  if (!isWatching) {
    process.on('exit', () => {
      for (const each of running) each.kill('SIGKILL');
    });
    isWatching = true;
  }
  running.add(child);
  child.once('exit', () => running.delete(child));
  return child;
}
