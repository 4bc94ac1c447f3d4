import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Makes a Go module of a folder with the Go snippet, which becomes its package `chairside`. */
export function makeGoModule(folder: string): void {
  mkdirSync(join(folder, 'chairside'));
  cpSync(join(folder, 'chairside.go'), join(folder, 'chairside/chairside.go'));
  rmSync(join(folder, 'chairside.go'));
  writeFileSync(join(folder, 'go.mod'), 'module example\n\ngo 1.16\n');
}
