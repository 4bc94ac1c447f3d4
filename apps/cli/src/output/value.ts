import { type Command, Option } from 'commander';
import { jsonOf } from './json.ts';
import { formatOf } from './rows.ts';
import { write } from './stdout.ts';

/** The options of a command that prints one JSON value. */
export type ValueOptions = { output?: 'json' | 'ndjson' };

export const addValueOptions = (command: Command): Command =>
  command.addOption(
    new Option('-o, --output <format>', 'json with line breaks, or ndjson in one line').choices([
      'json',
      'ndjson',
    ]),
  );

export const printValue = (value: unknown, options: ValueOptions): Promise<void> =>
  write(`${jsonOf(value, formatOf(options) === 'ndjson' ? undefined : 2)}\n`);
