import { type Command, type CommanderError, InvalidArgumentError, type Option } from 'commander';

/*
 * Commander reports the first fault of a command line. The functions of this file find all of them, so that a user
 * corrects them at once.
 */

/** A required flag, and those that can take its place. */
type Requirement = { long: string; unless: readonly string[] };
type Rule = { required: readonly Requirement[]; yes?: string };
/** What a command needs that commander does not know. */
const rules = new WeakMap<Command, Rule>();

const addRule = (command: Command, rule: Partial<Rule>): void => {
  rules.set(command, { required: [], ...rules.get(command), ...rule });
};

/**
 * Marks flags as required.
 *
 * @param names the long names, such as `--clinic-id`
 * @param unless returns the flags that can take the place of one, such as `--data`
 */
export const requireFlags = (
  command: Command,
  names: readonly string[],
  unless: (long: string) => readonly string[],
): void => addRule(command, { required: names.map((long) => ({ long, unless: unless(long) })) });

/**
 * Adds `--yes` to a command that asks for a confirmation, and requires it where there is no terminal to ask on.
 *
 * @param what what the command does after the confirmation, such as `delete the patient`
 */
export const addYes = (command: Command, what: string): Command => {
  addRule(command, { yes: what });
  return command.option(
    '-y, --yes',
    `${what} without asking; needed where there is no terminal to ask on, as in scripts`,
  );
};

/** The flags that are missing, as messages. @param isGiven whether a flag was given, by its long name */
const missing = (command: Command, isGiven: (long: string) => boolean, canAsk: boolean): string[] => {
  const { required, yes } = rules.get(command) ?? { required: [] };
  const flagsOf = (long: string) => command.options.find((option) => option.long === long)?.flags ?? long;
  const absent = required.filter(({ long, unless }) => ![long, ...unless].some(isGiven));
  return [
    ...absent.map(({ long }) => `error: required option '${flagsOf(long)}' not specified`),
    ...(yes === undefined || canAsk || isGiven('--yes')
      ? []
      : [`error: give --yes to ${yes} without asking, because there is no terminal to ask on`]),
  ];
};

const isGivenTo = (command: Command) => (long: string) => {
  const option = command.options.find((each) => each.long === long);
  return option !== undefined && command.getOptionValue(option.attributeName()) !== undefined;
};

/** What is missing in a command line that commander has accepted, as messages. */
export const missingIn = (command: Command, canAsk: boolean): string[] =>
  missing(command, isGivenTo(command), canAsk);

/** Node.js replaces bytes of an argument that are not UTF-8 with this character. */
const REPLACEMENT = '\ufffd';

/** The flags and arguments whose values were not UTF-8, as messages. They must not be stored in place of the real text. */
export const foreignIn = (command: Command): string[] => {
  const flags = command.options.map(
    (option) => [option.long ?? option.name(), command.getOptionValue(option.attributeName())] as const,
  );
  const operands = command.registeredArguments.map(
    (argument, index) => [`<${argument.name()}>`, command.args[index]] as const,
  );
  return [...flags, ...operands]
    .filter(([, value]) => JSON.stringify(value)?.includes(REPLACEMENT))
    .map(
      ([name]) =>
        `error: ${name} is not UTF-8, or contains the character U+FFFD. Set the terminal and its locale to UTF-8, then enter it again.`,
    );
};

/** The arguments of a command line, as commander would read them. */
type Reading = {
  command: Command;
  faults: string[];
  given: Map<Option, unknown>;
  operands: string[];
  hasUnknown: boolean;
};

const messageOf = (parse: () => unknown): string | undefined => {
  try {
    parse();
    return undefined;
  } catch (error) {
    if (error instanceof InvalidArgumentError) return error.message;
    throw error;
  }
};

/** The options that a command takes: its own, and those of the commands above it. */
const optionsOf = (command: Command | null): Option[] =>
  command === null ? [] : [...command.options, ...optionsOf(command.parent)];

/** Reads the value of an option, and notes a value that is not valid. */
const readValue = ({ given, faults }: Reading, option: Option, value: string | undefined): void => {
  if (value === undefined) {
    faults.push(`error: option '${option.flags}' argument missing`);
    given.set(option, undefined);
    return;
  }
  const problem = messageOf(() => given.set(option, option.parseArg?.(value, given.get(option)) ?? value));
  if (problem === undefined) return;
  given.set(option, given.get(option));
  faults.push(`error: option '${option.flags}' argument '${value}' is invalid. ${problem}`);
};

/** Reads one argument that begins with a hyphen. @param rest the arguments after it, of which it may take the first */
const readOption = (reading: Reading, argument: string, rest: string[]): void => {
  const [name = '', inline] = /^(--[^=]+)=(.*)$/s.exec(argument)?.slice(1) ?? [argument];
  const short = /^-[^-]./.test(argument) ? argument.slice(0, 2) : undefined;
  const option = optionsOf(reading.command).find(
    ({ long, short: own }) => long === name || own === (short ?? name),
  );
  if (name === '--help' || name === '-h') return;
  if (option === undefined) {
    reading.hasUnknown = true;
    reading.faults.push(`error: unknown option '${name}'`);
    // The next argument may be the value of the unknown option.
    if (inline === undefined && rest[0]?.startsWith('-') === false) rest.shift();
  } else if (option.required) {
    readValue(reading, option, inline ?? (short === undefined ? rest.shift() : argument.slice(2)));
  } else {
    reading.given.set(option, true);
    if (short !== undefined) rest.unshift(`-${argument.slice(2)}`);
  }
};

const read = (program: Command, args: readonly string[]): Reading => {
  const reading: Reading = {
    command: program,
    faults: [],
    given: new Map(),
    operands: [],
    hasUnknown: false,
  };
  const rest = [...args];
  for (let argument = rest.shift(); argument !== undefined; argument = rest.shift()) {
    if (argument === '--') reading.operands.push(...rest.splice(0));
    else if (/^-./.test(argument)) readOption(reading, argument, rest);
    else {
      const name = argument;
      const next = reading.command.commands.find((each) => each.name() === name);
      if (next === undefined) reading.operands.push(argument);
      else reading.command = next;
    }
  }
  return reading;
};

const faultsOfOperands = ({ command, operands, hasUnknown }: Reading): string[] =>
  command.registeredArguments.flatMap((argument, index) => {
    const value = operands[index];
    if (value === undefined)
      return argument.required && !hasUnknown
        ? [`error: missing required argument '${argument.name()}'`]
        : [];
    const problem = messageOf(() => argument.parseArg?.(value, undefined));
    return problem === undefined
      ? []
      : [`error: command-argument value '${value}' is invalid for argument '${argument.name()}'. ${problem}`];
  });

/**
 * All faults of a command line that commander has refused, as messages.
 *
 * @param first the fault that commander has found. Its message can have a suggestion
 */
export const faultsOf = (
  program: Command,
  args: readonly string[],
  first: CommanderError,
  canAsk: boolean,
): string[] => {
  const reading = read(program, args);
  const { command, faults, given } = reading;
  const isGiven = (long: string) => [...given.keys()].some((option) => option.long === long);
  const mandatory = command.options
    .filter((option) => option.mandatory && !given.has(option))
    .map(({ flags }) => `error: required option '${flags}' not specified`);
  const isNoun = command.commands.length > 0;
  const found = isNoun
    ? faults
    : [...faults, ...faultsOfOperands(reading), ...mandatory, ...missing(command, isGiven, canAsk)];
  const at = found.findIndex((message) => first.message.startsWith(message));
  return at === -1 ? [first.message, ...found] : found.with(at, first.message);
};
