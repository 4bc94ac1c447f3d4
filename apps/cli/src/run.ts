import { CommanderError } from 'commander';
import { canAsk } from './access/prompt.ts';
import { isCompletion, runCompletion } from './completion/command.ts';
import { describe, EXIT } from './failure.ts';
import { faultsOf } from './flags/faults.ts';
import { say } from './output/stdout.ts';
import { ADVICE, buildProgram } from './program.ts';

/** The codes with which commander ends after it has printed a help or the version. */
const PRINTED = ['commander.help', 'commander.helpDisplayed', 'commander.version'];

/** Runs the command that these arguments name, and sets the exit code of the process. */
export const run = async (args: readonly string[]): Promise<void> => {
  const program = buildProgram(isCompletion(args) ? undefined : args);
  try {
    if (isCompletion(args)) return await runCompletion(program, args);
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) {
      if (!PRINTED.includes(error.code))
        say([...faultsOf(program, args, error, canAsk()), ADVICE].join('\n'));
      process.exitCode = error.exitCode === 0 ? 0 : EXIT.usage;
    } else {
      const { text, exitCode } = describe(error);
      say(text);
      process.exitCode = exitCode;
    }
  }
};
