import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { defineConfig } from 'tsup';

type Exported = { '@chairside/source': string; default: string };
const { exports } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  exports?: Record<string, Exported>;
};

const program = existsSync('src/entry.ts') ? 'src/entry.ts' : 'src/main.ts';
const exported = Object.values(exports ?? {}).map((each) => [
  basename(each.default, '.js'),
  each['@chairside/source'],
]);
const built = exported.map(([name]) => name);
if (new Set(built).size < built.length)
  throw new Error(`Two exports have the same file: ${built.join(', ')}.`);
// A package finds the programs of its own processes next to its entry.
const processes = globSync('src/**/*-process.ts').map((file) => [basename(file, '.ts'), file]);

/**
 * How the private packages and the apps are built, from their own folder: one ESM file for each export of package.json, or
 * `main.js` without exports, for the Node.js of the project.
 */
export default defineConfig({
  entry: exports === undefined ? { main: program } : Object.fromEntries([...exported, ...processes]),
  format: 'esm',
  target: 'node24',
  // src/entry.ts checks the version of Node.js before it loads any package, so the check itself must be bundled.
  noExternal: ['@chairside/startup/enter'],
  clean: true,
});
