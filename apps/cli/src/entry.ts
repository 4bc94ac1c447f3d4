#!/usr/bin/env node
import module from 'node:module';
import { endWithReader } from './output/stdout.ts';
import { HELP, VERSION } from './version.ts';

/** The oldest Node.js that the packages of this program run on. */
const MIN_NODE = [22, 12] as const;

const args = process.argv.slice(2);
const isOnly = (...names: string[]): boolean => args.length === 1 && names.includes(args[0] ?? '');
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);

endWithReader();
// Version and help are printed without loading the commands, because scripts often ask for them.
if (isOnly('--version', '-V')) process.stdout.write(`${VERSION}\n`);
else if (HELP !== undefined && isOnly('--help', '-h', 'help')) process.stdout.write(HELP);
else if (major < MIN_NODE[0] || (major === MIN_NODE[0] && minor < MIN_NODE[1])) {
  console.error(
    `chairside needs Node.js ${MIN_NODE.join('.')} or later, and this is ${process.versions.node}. Install a newer version.`,
  );
  process.exitCode = 1;
} else {
  // Keeps compiled code in the folder for temporary files, which makes later starts faster.
  module.enableCompileCache();
  await import('./main.ts');
}
