import { CommanderError } from 'commander';
import { isCompletion, runCompletion } from './completion/command.ts';
import { describe, EXIT } from './failure.ts';
import { say } from './output/stdout.ts';
import { buildProgram } from './program.ts';

try {
  const args = process.argv.slice(2);
  if (isCompletion(args)) await runCompletion(buildProgram(), args);
  else await buildProgram(args).parseAsync();
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : EXIT.usage;
  else {
    const { text, exitCode } = describe(error);
    say(text);
    process.exitCode = exitCode;
  }
}
