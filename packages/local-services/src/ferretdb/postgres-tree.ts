import { readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from '@chairside/processes';
import { aptGet } from '../apt.ts';
import type { Search } from '../sources/source.ts';

/** The packages of the database, and of the programs that extract the needed files inside the tree. */
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

/** Creates a separate system tree in the new folder `tree`. Packages of Debian sid are never installed on the host. */
export async function bootstrapTree(tree: string, mirror: string, search: Search): Promise<void> {
  await installMmdebstrap(search);
  search.onProgress('Fetching PostgreSQL 18 with DocumentDB from Debian sid (about half a minute)');
  const options = [
    '--mode=root',
    // The packages are unpacked but not installed, because their install scripts are not needed and fail in many
    // containers.
    '--variant=extract',
    // This option accepts a snapshot mirror, whose release files may have expired.
    '--aptopt=Acquire::Check-Valid-Until "false"',
    `--include=${PACKAGES.join(',')}`,
  ];
  const [command, ...args] = [...(await isolation(search)), 'mmdebstrap', ...options, 'sid', tree, mirror];
  await run(command, args, {
    signal: search.signal,
    environment: { ...search.environment, DEBIAN_FRONTEND: 'noninteractive' },
    timeoutMs: 10 * 60_000,
    // `unshare` ignores SIGTERM and SIGINT.
    killSignal: 'SIGKILL',
  });
  search.onProgress('Fetched PostgreSQL 18 with DocumentDB');
}

/**
 * Returns the command that isolates mmdebstrap, so that nothing of it outlives this process. mmdebstrap mounts /proc
 * and other file systems in its tree, and a later removal of the tree would follow the mounts. In a namespace, the
 * processes of mmdebstrap are killed with this process, and its mounts end with its last process. A container that
 * forbids namespaces also forbids mounts.
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
  if (version === undefined) throw new Error('DocumentDB does not report its version');
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

/** Files that DocumentDB never loads and that are large or link to large files. They are excluded from the copy. */
const NOT_NEEDED = [
  `${LIBRARIES}/{bitcode,pgxs,llvmjit*,postgis_*,pg_documentdb_distributed*}`,
  `${SHARED}/{man,contrib,extension/postgis_*,extension/documentdb_distributed*}`,
];

/** Copies the files that the server needs from the tree to the new folder `root`: 170 of 570 MB, in 1,000 files. */
export async function extractNeeded(tree: string, root: string, search: Search): Promise<void> {
  // The script runs inside the tree, where absolute links point to the right files. It also creates two links that an
  // installation of the packages would have created: /etc/localtime, and the name that PostgreSQL expects for the
  // control file of PostGIS.
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

/** PATH with the programs for administrators, such as chroot. Root's PATH does not always contain them. */
function adminPath({ environment }: Search): NodeJS.ProcessEnv {
  return { ...environment, PATH: `${environment.PATH ?? ''}:/usr/sbin:/sbin` };
}
