import { readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from '@chairside/processes';
import { aptGet } from '../apt.ts';
import type { Search } from '../sources/source.ts';

/** The database, and what is run in the tree to take out of it what is needed. */
const PACKAGES = [
  'postgresql-18-documentdb',
  'base-files',
  'bash',
  'coreutils',
  'dash',
  'findutils',
  'grep',
  'libc-bin',
];
const LIBRARIES = '/usr/lib/postgresql/18/lib';
const SHARED = '/usr/share/postgresql/18';
export const POSTGRES_PROGRAMS = '/usr/lib/postgresql/18/bin';

/** A system tree of its own in the new folder `tree`: packages of Debian sid are never mixed into the host. */
export async function bootstrapTree(tree: string, mirror: string, search: Search): Promise<void> {
  await installMmdebstrap(search);
  search.onProgress('Fetching PostgreSQL 18 with DocumentDB from Debian sid (about half a minute)');
  const options = [
    '--mode=root',
    // Unpacked only: what packages do as they are installed is not needed, and fails in many a container.
    '--variant=extract',
    // A mirror that is frozen at some day is as good.
    '--aptopt=Acquire::Check-Valid-Until "false"',
    `--include=${PACKAGES.join(',')}`,
  ];
  const [command, ...args] = [...(await isolation(search)), 'mmdebstrap', ...options, 'sid', tree, mirror];
  await run(command, args, {
    signal: search.signal,
    environment: { ...search.environment, DEBIAN_FRONTEND: 'noninteractive' },
    timeoutMs: 10 * 60_000,
    // The only one that ends `unshare`.
    killSignal: 'SIGKILL',
  });
  search.onProgress('PostgreSQL 18 with DocumentDB is fetched');
}

/**
 * What to run mmdebstrap with, so that nothing of it outlives this process: it mounts /proc and more in its
 * tree, where a later removal of the tree would follow. Killed with us, it takes its processes along, and
 * the mounts go with the last of them. A container that forbids this forbids mounts too.
 */
async function isolation({ signal, environment }: Search): Promise<[string, ...string[]]> {
  const dieWithUs = ['setpriv', '--pdeathsig', 'KILL', '--'] as const;
  const apart = [...dieWithUs, 'unshare', '--mount', '--pid', '--fork', '--kill-child'] as const;
  const [command, ...args] = apart;
  try {
    await run(command, [...args, 'true'], { signal, environment });
    return [...apart];
  } catch {
    signal.throwIfAborted();
    return [...dieWithUs];
  }
}

/** The version of DocumentDB in the tree, such as "1.0-0". */
export async function documentdbVersion(tree: string): Promise<string> {
  const control = await readFile(join(tree, SHARED, 'extension/documentdb.control'), 'utf8');
  const version = /^default_version = '(.+)'$/m.exec(control)?.[1];
  if (version === undefined) throw new Error('DocumentDB does not tell its version');
  return version;
}

async function installMmdebstrap(search: Search): Promise<void> {
  const { signal, environment } = search;
  const install = () => aptGet(['install', '--no-install-recommends', 'mmdebstrap'], search);
  try {
    await run('mmdebstrap', ['--version'], { signal, environment });
  } catch {
    signal.throwIfAborted();
    search.onProgress('Installing mmdebstrap on this host (apt-get install)');
    await install().catch(async () => {
      signal.throwIfAborted();
      await aptGet(['update'], search);
      await install();
    });
  }
}

const NEEDED = [
  `${POSTGRES_PROGRAMS}/postgres`,
  `${POSTGRES_PROGRAMS}/initdb`,
  LIBRARIES,
  SHARED,
  '/usr/share/zoneinfo',
  '/usr/lib/locale/C.utf8',
  // initdb calls the server through a shell.
  '/usr/bin/sh',
];

/** Within what is needed: large, or linked to what is large, and never loaded by DocumentDB. */
const NOT_NEEDED = [
  `${LIBRARIES}/{bitcode,pgxs,llvmjit*,postgis_*,pg_documentdb_distributed*}`,
  `${SHARED}/{man,contrib,extension/postgis_*,extension/documentdb_distributed*}`,
];

/** Copies what the server needs from the tree to the new folder `root`: 170 of 570 MB, 1,000 files. */
export async function extractNeeded(tree: string, root: string, search: Search): Promise<void> {
  // Run inside the tree, where absolute links lead to the right place. Two of them would have been made as the
  // packages are installed: the local time, and the name that PostGIS is known by.
  const script = `set -e
    ln -s /usr/share/zoneinfo/UTC /etc/localtime
    ln -s postgis-3.control ${SHARED}/extension/postgis.control
    mkdir -p /needed/usr/bin /needed/usr/lib /needed/usr/lib64
    ln -s usr/bin usr/lib usr/lib64 /needed
    cp -aL --parents ${NEEDED.join(' ')} /needed
    rm -rf ${NOT_NEEDED.map((path) => `/needed${path}`).join(' ')}
    find /needed/usr -type f '(' -name '*.so' -o -perm -100 ')' -exec ldd {} + 2>/dev/null |
      grep -o '/[^ ]*\\.so[^ ]*' | sort -u | while read -r library; do
        case $library in /needed/*) ;; *) cp -aL --parents "$library" /needed ;; esac
      done`;
  await run('chroot', [tree, '/bin/bash', '-c', script], {
    signal: search.signal,
    environment: adminPath(search),
  });
  await rename(join(tree, 'needed'), root);
}

/** chroot is among the programs for administrators, which are not on every root's PATH. */
function adminPath({ environment }: Search): NodeJS.ProcessEnv {
  return { ...environment, PATH: `${environment.PATH ?? ''}:/usr/sbin:/sbin` };
}
