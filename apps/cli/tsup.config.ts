import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { defineConfig } from 'tsup';

const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
const help = execFileSync('node', ['--conditions=@chairside/source', 'scripts/print-help.ts'], {
  encoding: 'utf8',
});

// Code that every command needs is in one file, because one file loads faster. The other packages are loaded by the
// commands that need them.
export default defineConfig({
  entry: ['src/entry.ts'],
  format: 'esm',
  target: 'node22',
  noExternal: ['commander', 'env-paths', /^@chairside\//],
  esbuildOptions(options) {
    options.conditions = ['@chairside/source'];
  },
  minify: true,
  define: { CHAIRSIDE_CLI_VERSION: JSON.stringify(version), CHAIRSIDE_CLI_HELP: JSON.stringify(help) },
  clean: true,
});
