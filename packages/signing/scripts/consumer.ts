// An empty project that has installed the packed package, and functions that use the package from there.
import { execFileSync } from 'node:child_process';
import { cpSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { packPackage } from './pack.ts';

export interface Consumer {
  /** The folder of the project. */
  folder: string;
  /** The folder of the unpacked package in the project. */
  installed: string;
  tarball: string;
  /** Runs a command in the project and returns its output. @throws {Error} if it fails */
  run(command: string, ...args: string[]): string;
  /** Bundles one of the project's files for a platform. Returns the files in the bundle. */
  bundle(entry: string, output: string, conditions: string[]): Promise<string[]>;
  remove(): void;
}

export function createConsumer(): Consumer {
  const { folder: packed, tarball } = packPackage();
  const folder = join(packed, 'consumer');
  cpSync(join(import.meta.dirname, '../test/consumer'), folder, { recursive: true });
  cpSync(join(folder, 'consumer.mts'), join(folder, 'consumer.cts'));
  writeFileSync(join(folder, 'package.json'), '{ "private": true }');
  const run = (command: string, ...args: string[]) =>
    execFileSync(command, args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  // Offline, because the package has no dependencies and only the tarball is needed.
  run('npm', 'install', '--offline', '--no-audit', '--no-fund', '--loglevel=error', tarball);
  return {
    folder,
    installed: join(folder, 'node_modules/@chairside/signing'),
    tarball,
    run,
    async bundle(entry, output, conditions) {
      const { metafile } = await build({
        absWorkingDir: folder,
        entryPoints: [entry],
        outfile: output,
        bundle: true,
        format: 'esm',
        platform: 'neutral',
        external: ['node:crypto'],
        conditions,
        metafile: true,
        logLevel: 'silent',
      });
      return Object.keys(metafile.inputs);
    },
    remove: () => rmSync(packed, { recursive: true }),
  };
}

/** Compiles the project's ESM and CommonJS programs with strict options. Throws the errors of tsc. */
export function compileWith(
  consumer: Consumer,
  tsc: [string, ...string[]],
  resolution: 'node16' | 'nodenext' | 'bundler',
) {
  const module = resolution === 'bundler' ? 'esnext' : resolution;
  const options = {
    ...{ module, moduleResolution: resolution, target: 'es2022', lib: ['es2022'], types: [], noEmit: true },
    ...{
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      skipLibCheck: false,
    },
  };
  const path = join(consumer.folder, `tsconfig.${resolution}.json`);
  writeFileSync(path, JSON.stringify({ compilerOptions: options, files: ['consumer.mts', 'consumer.cts'] }));
  const [command, ...args] = tsc;
  consumer.run(command, ...args, '-p', path);
}

/** The configuration with which `workerd test` runs one bundled program. */
export function writeWorkerdConfig(consumer: Consumer, bundle: string, flags: string[]): string {
  const path = join(consumer.folder, `${bundle}.capnp`);
  writeFileSync(
    path,
    `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (services = [(name = "main", worker = (
  modules = [(name = "worker", esModule = embed "${bundle}")],
  compatibilityDate = "2025-01-01",
  compatibilityFlags = ${JSON.stringify(flags)}
))]);
`,
  );
  return path;
}
