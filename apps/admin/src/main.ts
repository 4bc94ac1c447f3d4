import { ignoreClosedStderr } from '@chairside/terminal';
import { CommanderError } from 'commander';
import { note, printFailure } from './command.ts';
import { buildProgram } from './program.ts';

ignoreClosedStderr();
// A reader that closes the pipe early, such as `head`, is not an error.
process.stdout.on('error', ({ code, name }: NodeJS.ErrnoException) => {
  if (code === 'EPIPE') process.exit();
  note(
    `stdout: ${code ?? name}. The output is not complete, but the command may have changed something: look before you run it again.`,
  );
  process.exit(1);
});

buildProgram()
  .parseAsync()
  .catch((error: unknown) => {
    if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2;
    else printFailure(error, false);
  });
