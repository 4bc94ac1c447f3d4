// Builds and packs the package in its own folder, so that a test and another build of `dist` do not affect each
// other.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const home = join(import.meta.dirname, '..');
const workspace = join(home, '../..');
const BUILT_FROM = [
  ...['package.json', 'README.md', 'LICENSE', 'vectors.json', 'docs', 'src', 'scripts'],
  ...['tsconfig.json', 'tsconfig.build.json', 'tsup.config.ts', 'node_modules'],
];

/** Returns the path of the tarball. The caller removes its folder. */
export function packPackage(): { folder: string; tarball: string } {
  const folder = mkdtempSync(join(tmpdir(), 'chairside-packed-'));
  const stage = join(folder, 'packages/signing');
  mkdirSync(stage, { recursive: true });
  cpSync(join(workspace, 'tsconfig.base.json'), join(folder, 'tsconfig.base.json'));
  symlinkSync(join(workspace, 'node_modules'), join(folder, 'node_modules'));
  for (const name of BUILT_FROM) {
    if (name === 'node_modules') symlinkSync(join(home, name), join(stage, name));
    else cpSync(join(home, name), join(stage, name), { recursive: true });
  }
  const run = (script: string, ...args: string[]) =>
    execFileSync(process.execPath, [join(workspace, 'node_modules', script), ...args], {
      cwd: stage,
      stdio: 'pipe',
    });
  run('tsup/dist/cli-default.js');
  run('typescript/bin/tsc', '-p', 'tsconfig.build.json');
  execFileSync(process.execPath, [join(stage, 'scripts/declare-both.ts')]);
  const packed = execFileSync('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', folder], {
    cwd: stage,
    encoding: 'utf8',
    stdio: 'pipe',
  });
  return { folder, tarball: join(folder, JSON.parse(packed)[0].filename) };
}
