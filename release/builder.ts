import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { killAtExit } from '@chairside/processes';

const execute = promisify(execFile);
/** The folder of the repository. It is the build context of the images. */
export const root = fileURLToPath(new URL('..', import.meta.url));

/** One run of an image: with the network of this machine, without capabilities, and with a read-only file system. */
export type Run = {
  image: string;
  /** The command that replaces that of the image. */
  command?: readonly string[];
  /** The arguments of the entry point. */
  arguments?: readonly string[];
  environment: Readonly<Record<string, string>>;
  /** The id of the user and of the group that the image runs as. */
  user: number;
};

/** A program that builds and runs images. */
export type Builder = {
  /** The name and the version. */
  description: string;
  /**
   * Builds the image of one app, and names it `tag`.
   *
   * @param buildArguments those of the Dockerfile. `SOURCE_DATE_EPOCH` sets the times in the image, in seconds
   */
  build(tag: string, buildArguments: Readonly<Record<string, string>>): Promise<void>;
  /** Writes an image to a tar file. */
  archive(tag: string, file: string): Promise<void>;
  /** The size of an image in bytes, and its labels. */
  inspect(tag: string): Promise<{ bytes: number; labels: Record<string, string> }>;
  /** Runs an image. Signals to the process reach the program in the image, and both end together. */
  run(run: Run): Promise<ChildProcess>;
  /** Removes what the runs have left, except the images. */
  close(): Promise<void>;
};

const output = async (program: string, given: readonly string[], env = process.env): Promise<string> => {
  const { stdout } = await execute(program, given, { env, maxBuffer: 64 * 2 ** 20 });
  return stdout.trim();
};

const flags = (flag: string, values: Readonly<Record<string, string>>): string[] =>
  Object.entries(values).flatMap(([name, value]) => [flag, `${name}=${value}`]);

/** Docker and Podman have the same commands. */
const engine = (program: string, version: string): Builder => ({
  description: `${program} ${version}`,
  async build(tag, buildArguments) {
    await output(program, ['build', '--tag', tag, ...flags('--build-arg', buildArguments), root]);
  },
  async archive(tag, file) {
    await output(program, ['image', 'save', '--output', file, tag]);
  },
  async inspect(tag) {
    const [{ Size, Config }] = JSON.parse(await output(program, ['image', 'inspect', tag]));
    return { bytes: Size, labels: Config.Labels ?? {} };
  },
  async run({ image, command: [entryPoint, ...rest] = [], arguments: given = rest, environment, user }) {
    const restrictions = ['--read-only', '--cap-drop=ALL', '--security-opt=no-new-privileges'];
    // Only the names are arguments, because everybody on this machine can see the arguments of a process.
    const names = Object.keys(environment).flatMap((name) => ['--env', name]);
    const entry = entryPoint === undefined ? [] : [`--entrypoint=${entryPoint}`];
    const all = [
      'run',
      '--rm',
      '--network=host',
      `--user=${user}:${user}`,
      ...restrictions,
      ...names,
      ...entry,
    ];
    const env = { ...process.env, ...environment };
    return killAtExit(spawn(program, [...all, image, ...given], { env, stdio: ['ignore', 'pipe', 'pipe'] }));
  },
  async close() {},
});

/** The configuration of an image (OCI image specification). */
type ImageConfig = { Env: string[]; Entrypoint?: string[]; Cmd?: string[]; Labels?: Record<string, string> };

/**
 * Where npm of this machine and npm in the image read their settings, and the certificates that they accept. In the
 * image, npm runs as root.
 */
const NPM_FILES: readonly (readonly [here: string, inImage: string])[] = [
  [join(homedir(), '.npmrc'), '/root/.npmrc'],
  ['/usr/etc/npmrc', '/usr/local/etc/npmrc'],
  ['/etc/ssl/certs', '/etc/ssl/certs'],
];

/** Mounts the file system of an image read-only, and runs a program in it. `$1` is the folder, `$2` the user. */
const IN_IMAGE = `
mount --bind "$1" "$1"
mount --rbind /dev "$1/dev"
mount -t proc proc "$1/proc"
mount -o remount,bind,ro "$1"
exec unshare --root "$1" --wd /service --setgid "$2" --setuid "$2" -- "\${@:3}"`;

/**
 * Buildah, without a daemon and without a container engine. It runs an image as a process with the file system of the
 * image: without limits of memory, and with the processes of this machine in sight. If the base image cannot be pulled,
 * it uses a stand-in.
 */
const buildah = (version: string): Builder => {
  const env = { STORAGE_DRIVER: 'vfs', BUILDAH_ISOLATION: 'chroot', ...process.env };
  const call = (...given: string[]) => output('buildah', given, env);

  const open = async (image: string) => {
    const id = await call('from', '--pull-never', image);
    const folder = await call('mount', id);
    const inspected: { OCIv1: { config: ImageConfig } } = JSON.parse(
      await call('inspect', '--type', 'image', image),
    );
    return { id, folder, config: inspected.OCIv1.config };
  };
  const containers = new Map<string, ReturnType<typeof open>>();
  const containerOf = (image: string) => {
    const opened = containers.get(image) ?? open(image);
    containers.set(image, opened);
    return opened;
  };
  /** Pulls the base image of the Dockerfile, or makes the stand-in, which has the tag and another digest. Returns its name. */
  const baseImage = async (): Promise<string> => {
    const [, name = ''] = /^ARG NODE_IMAGE=(\S+)$/m.exec(readFileSync(`${root}Dockerfile`, 'utf8')) ?? [];
    const pinned = `docker.io/library/${name}`;
    const standIn = pinned.replace(/@.*/, '');
    if ((await call('images', '--format', '{{.Name}}:{{.Tag}}')).split('\n').includes(standIn))
      return standIn;
    try {
      await call('pull', pinned);
      return pinned;
    } catch {
      await output(`${root}release/stand-in-base.sh`, [standIn, process.execPath], env);
      return standIn;
    }
  };

  return {
    description: `buildah ${version}`,
    async build(tag, buildArguments) {
      const NODE_IMAGE = await baseImage();
      const mounts = NPM_FILES.filter(([here]) => existsSync(here)).flatMap(([here, inImage]) => [
        '--volume',
        `${here}:${inImage}:ro`,
      ]);
      const settings = ['--pull-never', '--layers', '--format', 'docker', '--network', 'host', ...mounts];
      const { SOURCE_DATE_EPOCH = '', ...given } = buildArguments;
      const time = SOURCE_DATE_EPOCH === '' ? [] : ['--timestamp', SOURCE_DATE_EPOCH];
      await call(
        'bud',
        ...settings,
        ...time,
        ...flags('--build-arg', { ...given, NODE_IMAGE }),
        '--tag',
        tag,
        root,
      );
    },
    async archive(tag, file) {
      await call('push', '--quiet', tag, `oci-archive:${file}`);
    },
    async inspect(tag) {
      const { folder, config } = await containerOf(tag);
      const bytes = Number.parseInt(await output('du', ['--summarize', '--bytes', folder]), 10);
      return { bytes, labels: config.Labels ?? {} };
    },
    async run({ image, command, arguments: given, environment, user }) {
      const { folder, config } = await containerOf(image);
      const program = command ?? [...(config.Entrypoint ?? []), ...(given ?? config.Cmd ?? [])];
      const inherited = Object.fromEntries(
        config.Env.map((each) => [each.slice(0, each.indexOf('=')), each.slice(each.indexOf('=') + 1)]),
      );
      return killAtExit(
        spawn(
          'unshare',
          ['--mount', 'bash', '-euc', IN_IMAGE, 'in-image', folder, String(user), ...program],
          {
            env: { ...inherited, ...environment },
            stdio: ['ignore', 'pipe', 'pipe'],
          },
        ),
      );
    },
    async close() {
      const ids = await Promise.all([...containers.values()].map(async (opened) => (await opened).id));
      if (ids.length > 0) await call('rm', ...ids);
    },
  };
};

/** What to do if {@link findBuilder} finds none. */
export const NO_BUILDER = 'No image can be built here: install Docker, Podman or Buildah.';

/**
 * Finds a program that builds images on this machine: Docker, Podman or Buildah, in this order. Docker and Podman must
 * be able to run containers.
 *
 * @returns undefined if there is none
 */
export const findBuilder = async (): Promise<Builder | undefined> => {
  for (const program of ['docker', 'podman']) {
    const version = await output(program, ['info', '--format', '{{.ServerVersion}}']).catch(() => '');
    if (version !== '') return engine(program, version);
  }
  const version = await output('buildah', ['--version']).catch(() => undefined);
  return version === undefined ? undefined : buildah(version.replace(/^buildah version /, ''));
};
