import { CommanderError } from 'commander';
import { describe, EXIT } from './failure.ts';
import { say } from './output/stdout.ts';
import { buildProgram } from './program.ts';

/** The commands for shells: `completion` prints the script, and the script calls `complete` for suggestions. */
const COMPLETION = ['completion', 'complete'];

try {
  const args = process.argv.slice(2);
  const isCompletion = COMPLETION.includes(args[0] ?? '');
  const program = buildProgram(isCompletion ? undefined : args);
  if (isCompletion) {
    const { default: addCompletion } = await import('@bomb.sh/tab/commander');
    addCompletion(program, { completionCommandName: 'completion' });
  }
  await program.parseAsync();
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : EXIT.usage;
  else {
    const { text, exitCode } = describe(error);
    say(text);
    process.exitCode = exitCode;
  }
}
