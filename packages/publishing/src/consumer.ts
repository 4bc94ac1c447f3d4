// An empty project in which a packed package is installed, and functions that use the package from that project.
import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { build } from 'esbuild';
import { publint } from 'publint';
import { packPackage } from './pack.ts';

export interface Consumer {
  /** The folder of the project. */
  folder: string;
  /** The folder of the installed package in the project. */
  installed: string;
  tarball: string;
  /** Runs a command in the project and returns its output. @throws {Error} if it fails */
  run(command: string, ...args: string[]): string;
  /** Bundles one of the project's files for a platform. Returns the paths of the files that are part of the bundle. */
  bundle(entry: string, output: string, conditions: string[]): Promise<string[]>;
  remove(): void;
}

/** @param home the folder of the package; the test programs are in its folder `test/consumer` */
export function createConsumer(home: string): Consumer {
  const { name } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'));
  const { folder: packed, tarball } = packPackage(home);
  const folder = join(packed, 'consumer');
  cpSync(join(home, 'test/consumer'), folder, { recursive: true });
  cpSync(join(folder, 'consumer.mts'), join(folder, 'consumer.cts'));
  writeFileSync(join(folder, 'package.json'), '{ "private": true }');
  const run = (command: string, ...args: string[]) =>
    execFileSync(command, args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  // npm runs offline, because the package has no dependencies and only the tarball is needed.
  run('npm', 'install', '--offline', '--no-audit', '--no-fund', '--loglevel=error', tarball);
  return {
    folder,
    installed: join(folder, 'node_modules', name),
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

/** The paths of all files in the tarball, relative to the package. */
export function filesOf({ run, tarball }: Consumer): string[] {
  const names = run('tar', '-tzf', tarball).trim().split('\n');
  return names.map((name) => name.replace('package/', ''));
}

/** The published package.json. */
export function manifestOf({ installed }: Consumer) {
  return JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
}

/** The fields of package.json that make npm install another package with this one. */
export const DEPENDENCY_FIELDS = [
  'dependencies',
  'peerDependencies',
  'optionalDependencies',
  'bundledDependencies',
] as const;

/** Checks the package with publint and attw. Returns their findings, and the entries that attw has checked. */
export async function findingsOf({ installed, tarball }: Consumer) {
  const { messages } = await publint({ pkgDir: installed, strict: true });
  const result = await checkPackage(createPackageFromTarballData(readFileSync(tarball)));
  if (!result.types) throw new Error('attw found no types');
  return { findings: [...messages, ...result.problems], entries: Object.keys(result.entrypoints) };
}

/**
 * Minifies an entry of the package, without the files that it imports.
 *
 * @returns the gzipped size in bytes, and the paths of the imports
 */
export async function bundleSize({ installed }: Consumer, entry: string, format: 'esm' | 'cjs') {
  const { outputFiles, metafile } = await build({
    entryPoints: [join(installed, entry)],
    bundle: true,
    minify: true,
    format,
    platform: 'neutral',
    external: ['*'],
    metafile: true,
    write: false,
  });
  const [output] = outputFiles;
  const imports = Object.values(metafile.outputs).flatMap((file) => file.imports.map(({ path }) => path));
  return { bytes: gzipSync(output?.contents ?? '', { level: 9 }).length, imports };
}

/** Bundles a program that imports the package but does not use it. Returns the code that tree shaking leaves. */
export async function bundleUnused({ folder }: Consumer, imports: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: imports, resolveDir: folder },
    bundle: true,
    format: 'esm',
    platform: 'neutral',
    external: ['node:crypto'],
    logLevel: 'silent',
    write: false,
  });
  return outputFiles[0]?.text.replace(/\/\/.*|\s/g, '') ?? '';
}

/**
 * Compiles the project's ESM and CommonJS programs with strict options. Throws the errors of tsc.
 *
 * @param more other programs, and additional compiler options
 */
export function compileWith(
  consumer: Consumer,
  tsc: [string, ...string[]],
  resolution: 'node16' | 'nodenext' | 'bundler',
  {
    programs = ['consumer.mts', 'consumer.cts'],
    ...more
  }: { programs?: string[]; [option: string]: unknown } = {},
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
    ...more,
  };
  const path = join(consumer.folder, `tsconfig.${resolution}.json`);
  writeFileSync(path, JSON.stringify({ compilerOptions: options, files: programs }));
  const [command, ...args] = tsc;
  consumer.run(command, ...args, '-p', path);
}

/** Writes the configuration with which `workerd test` runs one bundled program. Returns its path. */
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
