import { CommanderError } from 'commander';
import { printFailure } from './command.ts';
import { buildProgram } from './program.ts';

/** Runs the command that these arguments name, and sets the exit code of the process. */
export const run = async (args: readonly string[]): Promise<void> => {
  try {
    await buildProgram().parseAsync(args, { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2;
    else printFailure(error, false);
  }
};
