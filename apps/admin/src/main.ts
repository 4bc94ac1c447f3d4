import { ignoreClosedStderr } from '@chairside/terminal';
import { note } from './command.ts';
import { run } from './run.ts';

/** How long connections may take to close after the command has ended, in milliseconds. */
const CLOSE_MS = 200;

ignoreClosedStderr();
// A reader that closes the pipe early, such as `head`, is not an error.
process.stdout.on('error', ({ code, name }: NodeJS.ErrnoException) => {
  if (code === 'EPIPE') process.exit();
  note(
    `stdout: ${code ?? name}. The output is not complete, but the command may have changed something: look before you run it again.`,
  );
  process.exit(1);
});

await run(process.argv.slice(2));
// A server that hangs does not close its connections. The process does not wait for it.
setTimeout(() => process.exit(), CLOSE_MS).unref();
