import { CommanderError } from 'commander';
import { printFailure } from './command.ts';
import { buildProgram } from './program.ts';

// Who reads our output may stop reading, as `| head` does: that is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  process.exit(error.code === 'EPIPE' ? 0 : 1);
});

buildProgram()
  .parseAsync()
  .catch((error: unknown) => {
    if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2;
    else printFailure(error, false);
  });
