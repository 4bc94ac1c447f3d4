import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isListening, LOOPBACK, type ProcessPlan, run } from '@chairside/processes';
import type { EnginePlan, Place } from '../engine-plan.ts';
import { runningMongod } from '../running-mongod.ts';
import { FERRETDB_VERSION } from './gateway.ts';
import { NO_CARE, SETTINGS, settingFlags } from './postgres-settings.ts';
import { POSTGRES_PROGRAMS } from './postgres-tree.ts';

/** The user id of the servers. PostgreSQL refuses to run as root. No user of the host should have this id. */
export const SERVER_ID = 60_917;

/** `engine` is the folder with the programs, and `data` the folder with an initialized database. Both are only read. */
export type Runtime = { engine: string; data: string };

/**
 * Returns the plan for running FerretDB. Both servers run as an unprivileged user inside a folder of their own
 * (chroot). The folder contains a copy of the data, and the engine. The files of the engine are hard links if both
 * folders are on the same file system. This requires no mounts, and root only for the chroot. The data stays with the
 * engine that wrote it, and the database is reachable only through its socket in that folder.
 */
export function ferretdbPlan(runtime: Runtime, description: string): EnginePlan {
  const url = (port: number) => `mongodb://${LOOPBACK}:${port}`;
  return {
    // The name contains the version, because the engine stays in the folder with the data and would not be replaced.
    kind: `ferretdb-${FERRETDB_VERSION}`,
    description,
    url,
    layOut: (folder, signal) => layOut(runtime, folder, signal),
    processes: (place) => [postgres(place), gateway(place)],
    runningPid: (port) => runningMongod(url(port)),
  };
}

async function layOut({ engine, data }: Runtime, folder: string, signal: AbortSignal): Promise<void> {
  const copy = (how: string, from: string, to: string) => run('cp', ['-a', how, from, to], { signal });
  await copy('--link', `${engine}/.`, folder).catch(() => copy('--reflink=auto', `${engine}/.`, folder));
  await copy('--reflink=auto', data, join(folder, 'data'));
}

function postgres({ folder, durable }: Place): ProcessPlan {
  const settings = settingFlags(durable ? SETTINGS : { ...SETTINGS, ...NO_CARE });
  return {
    name: 'postgres',
    ...inside(folder, [`${POSTGRES_PROGRAMS}/postgres`, '-D', '/data', ...settings]),
    isReady: (pid) => isPostmasterReady(folder, pid),
    // A fast shutdown is tried first, then an immediate one, which is as safe as a crash. With temporary data, only the immediate shutdown is tried.
    stop: durable
      ? [
          { signal: 'SIGINT', withinMs: 2_000 },
          { signal: 'SIGQUIT', withinMs: 1_000 },
        ]
      : [{ signal: 'SIGQUIT', withinMs: 1_000 }],
  };
}

/** Reads postmaster.pid: its first line contains the pid, its eighth line the state. */
async function isPostmasterReady(folder: string, pid: number): Promise<boolean> {
  const text = await readFile(join(folder, 'data/postmaster.pid'), 'utf8').catch(() => '');
  const lines = text.split('\n');
  return lines[0] === String(pid) && lines[7]?.trim() === 'ready';
}

function gateway({ folder, port, durable }: Place): ProcessPlan {
  return {
    name: 'ferretdb',
    ...inside(folder, [
      '/usr/bin/ferretdb',
      `--listen-addr=${LOOPBACK}:${port}`,
      '--postgresql-url=postgres://postgres@/postgres?host=/run',
      '--no-auth',
      '--telemetry=disable',
      '--state-dir=/tmp',
      '--debug-addr=-',
      '--log-level=warn',
    ]),
    isReady: () => isListening(port),
    // The gateway has no state. When it is stopped, it only waits until its clients disconnect.
    stop: [{ signal: 'SIGTERM', withinMs: durable ? 1_000 : 300 }],
  };
}

/** Returns a command line that runs `program` in `folder` as the unprivileged user. */
export function inside(folder: string, program: string[]) {
  return {
    command: 'chroot',
    arguments: [`--userspec=${SERVER_ID}:${SERVER_ID}`, '--groups=', folder, ...program],
    environment: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C.UTF-8', TZ: 'UTC', HOME: '/' },
  };
}
