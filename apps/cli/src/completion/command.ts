import type { Command } from 'commander';
import { write } from '../output/stdout.ts';
import { BASH_SCRIPT } from './bash.ts';

/** The commands for shells: `completion` prints the script, and the script calls `complete` for suggestions. */
const SCRIPT = 'completion';
const SUGGESTIONS = 'complete';

export const isCompletion = ([name]: readonly string[]): boolean => name === SCRIPT || name === SUGGESTIONS;

/** Whether the last word is the value of an option that names a file. */
const isFile = (program: Command, words: readonly string[]): boolean => {
  const command = words
    .slice(0, -1)
    .reduce((at, word) => at.commands.find((each) => each.name() === word) ?? at, program);
  const option = command.options.find(({ long, short }) => [long, short].includes(words.at(-2)));
  return option?.flags.endsWith('<file>') === true;
};

/** Prints the script for a shell, or suggestions for the words after `--`. */
export const runCompletion = async (program: Command, args: readonly string[]): Promise<void> => {
  if (args[0] === SCRIPT && args[1] === 'bash' && args.length === 2) return write(BASH_SCRIPT);
  // The library suggests no files. After this line, the scripts of all shells do.
  if (args[0] === SUGGESTIONS && isFile(program, args.slice(args.indexOf('--') + 1))) return write(':0\n');
  const { default: addCompletion } = await import('@bomb.sh/tab/commander');
  addCompletion(program, { completionCommandName: SCRIPT });
  await program.parseAsync();
};
