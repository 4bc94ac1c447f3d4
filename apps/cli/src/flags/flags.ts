import { type Command, InvalidArgumentError, Option } from 'commander';
import { UsageError } from '../failure.ts';
import { readDataFile } from './data-file.ts';
import { isTime, readTime } from './times.ts';

/** A flag of a command: a query parameter or a field of a body. */
export type Flag = {
  /** The name in the API, for example `clinicId`; the flag is `--clinic-id`. */
  name: string;
  type: 'string' | 'strings' | 'number' | 'boolean' | 'json';
  choices?: readonly string[];
  description: string;
  isRequired?: boolean;
};

/** Turns the name of a field into the name of its flag: `clinicId` into `clinic-id`. */
export const kebab = (name: string): string =>
  name.replace(/^_/, '').replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** The key under which commander keeps the value of a flag. */
const keyOf = ({ name }: Flag): string => name.replace(/^_/, '');

const PLACEHOLDER: Readonly<Record<Flag['type'], string>> = {
  string: '<text>',
  strings: '<list>',
  number: '<number>',
  boolean: '<true|false>',
  json: '<json>',
};

const placeholderOf = ({ name, type, choices }: Flag): string => {
  if (type === 'strings') return '<a,b,…>';
  if (choices !== undefined) return '<name>';
  if (type === 'string' && /[iI]d$/.test(name)) return '<id>';
  if (type === 'string' && (isTime(name) || name.endsWith('Time'))) return '<time>';
  return PLACEHOLDER[type];
};

const oneOf = (choices: readonly string[], value: string): string => {
  if (choices.includes(value)) return value;
  throw new InvalidArgumentError(`Allowed choices are ${choices.join(', ')}.`);
};

/**
 * Reads the value of a flag, or of a cell in a file.
 *
 * @param previous the value of the flag so far, if the flag repeats
 * @throws {InvalidArgumentError} if the text is not of the type of the flag, or not one of its choices
 */
export const readText = ({ type, choices }: Flag, value: string, previous?: unknown): unknown => {
  switch (type) {
    case 'string':
      return choices === undefined ? value : oneOf(choices, value);
    case 'strings': {
      const values = value.split(',').map((each) => each.trim());
      if (choices !== undefined) for (const each of values) oneOf(choices, each);
      return [...((previous as string[] | undefined) ?? []), ...values.filter((each) => each !== '')];
    }
    case 'number': {
      const number = Number(value);
      if (value.trim() === '' || !Number.isFinite(number)) throw new InvalidArgumentError('Give a number.');
      return number;
    }
    case 'boolean':
      return oneOf(['true', 'false'], value) === 'true';
    case 'json':
      try {
        return JSON.parse(value);
      } catch {
        // The parser's message is not used, because it quotes the value.
        throw new InvalidArgumentError('Give JSON, such as [{"procedureId":"…"}].');
      }
  }
};

/** Adds the flags to a command. */
export const addFlags = (command: Command, flags: readonly Flag[]): void => {
  for (const flag of flags) {
    const { type, choices, description } = flag;
    const isList = choices !== undefined && type === 'strings';
    const text = isList ? `${description}: ${choices.join(', ')}` : description;
    const option = new Option(`--${kebab(flag.name)} ${placeholderOf(flag)}`, text);
    if (choices !== undefined && !isList) option.choices([...choices]);
    else
      option.argParser((value, previous) =>
        readText(flag, isTime(flag.name) ? readTime(value) : value, previous),
      );
    command.addOption(option);
  }
};

/** The long names of the flags that are required. */
export const requiredOf = (flags: readonly Flag[]): string[] =>
  flags.filter(({ isRequired }) => isRequired).map(({ name }) => `--${kebab(name)}`);

/** The values of the flags that were given, by their names in the API. */
export const valuesOf = (
  flags: readonly Flag[],
  options: Readonly<Record<string, unknown>>,
): Record<string, unknown> =>
  Object.fromEntries(
    flags.flatMap((flag) => {
      const value = options[keyOf(flag)];
      return value === undefined ? [] : [[flag.name, value]];
    }),
  );

/**
 * The body of a request: the object of `--data`, then the values of the flags, which take precedence, and `null` for
 * each field of `--clear`.
 *
 * @param more fields that come from elsewhere, such as a password from stdin
 * @throws {UsageError} if nothing was given, `--data` has no JSON object, a required field is missing, or `--clear`
 *   names an unknown field
 */
export const bodyOf = async (
  flags: readonly Flag[],
  options: Readonly<Record<string, unknown>> & { data?: string; clear?: readonly string[] },
  more: Readonly<Record<string, unknown>> = {},
): Promise<Record<string, unknown>> => {
  const body: Record<string, unknown> = {
    ...(options.data !== undefined && (await readDataFile(options.data))),
    ...valuesOf(flags, options),
    ...more,
  };
  const unknown: string[] = [];
  for (const name of options.clear ?? []) {
    const flag = flags.find((each) => each.name === name || kebab(each.name) === name);
    if (flag === undefined) unknown.push(JSON.stringify(name));
    else body[flag.name] = null;
  }
  if (unknown.length > 0)
    throw new UsageError(
      `--clear: there is no field ${unknown.join(' and no ')}. Fields are ${flags.map((each) => each.name).join(', ')}.`,
    );
  // A required field can be missing here only if --data lacks it.
  const missing = flags.filter(({ name, isRequired }) => isRequired && body[name] === undefined);
  if (missing.length > 0) {
    throw new UsageError(`Give ${missing.map(({ name }) => `--${kebab(name)}`).join(' and ')}.`);
  }
  if (Object.keys(body).length === 0)
    throw new UsageError('Give at least one field, or --data with a JSON file.');
  return body;
};
