/**
 * node owner.ts <directory> keep|throw-away: claims the directory, starts a server on it with a watchdog, prints the
 * pid of the server, and keeps running.
 */
import { claim, startServer, startWatchdog } from '../src/index.ts';

const [directory = '', mode] = process.argv.slice(2);
const { record } = await claim(directory, { waitMs: 0 });
startWatchdog(directory, mode === 'keep' ? 'keep' : 'throw-away');
const plan = {
  name: 'server',
  command: 'sleep',
  arguments: ['600'],
  isReady: async () => true,
  stop: [{ signal: 'SIGTERM' as const, withinMs: 1000 }],
};
const server = await startServer(plan, directory, new AbortController().signal, (spawned) =>
  record([spawned]),
);
console.log(server.pid);
setInterval(() => {}, 60_000);
