// Builds and packs a package in a separate folder, so that a test and another build of `dist` do not affect each other.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

const workspace = join(import.meta.dirname, '../../..');
/** `dist` and `.turbo` are not copied, because they are build outputs. `node_modules` is linked instead. */
const LEFT_OUT = ['dist', 'node_modules', '.turbo'];

/**
 * @param home the folder of the package
 * @returns the path of the tarball, and the temporary folder that contains it, which the caller removes
 */
export function packPackage(home: string): { folder: string; tarball: string } {
  const folder = mkdtempSync(join(tmpdir(), 'chairside-packed-'));
  const stage = join(folder, 'packages', basename(home));
  mkdirSync(stage, { recursive: true });
  cpSync(join(workspace, 'tsconfig.base.json'), join(folder, 'tsconfig.base.json'));
  symlinkSync(join(workspace, 'node_modules'), join(folder, 'node_modules'));
  cpSync(home, stage, { recursive: true, filter: (path) => !LEFT_OUT.includes(basename(path)) });
  symlinkSync(join(home, 'node_modules'), join(stage, 'node_modules'));
  const run = (script: string, ...args: string[]) =>
    execFileSync(process.execPath, [script, ...args], { cwd: stage, stdio: 'pipe' });
  run(join(workspace, 'node_modules/tsup/dist/cli-default.js'));
  run(join(workspace, 'node_modules/typescript/bin/tsc'), '-p', 'tsconfig.build.json');
  run(join(import.meta.dirname, 'declare-both.ts'));
  const packed = execFileSync('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', folder], {
    cwd: stage,
    encoding: 'utf8',
    stdio: 'pipe',
  });
  return { folder, tarball: join(folder, JSON.parse(packed)[0].filename) };
}
