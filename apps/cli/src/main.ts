import { CommanderError } from 'commander';
import { describe, EXIT } from './failure.ts';
import { endWithReader } from './output/stdout.ts';
import { buildProgram } from './program.ts';

endWithReader();

try {
  await buildProgram(process.argv.slice(2)).parseAsync();
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : EXIT.usage;
  else {
    const { text, exitCode } = describe(error);
    process.stderr.write(`${text}\n`);
    process.exitCode = exitCode;
  }
}
