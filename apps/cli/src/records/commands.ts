import type { BookingOptions, ResponseInfo } from '@chairside/client';
import { type Command, Option } from 'commander';
import { withConfirmation } from '../access/confirmation.ts';
import { type GlobalOptions, openClient } from '../access/open-client.ts';
import { confirm, readPassword } from '../access/prompt.ts';
import { ENCODINGS, type Encoding } from '../bulk/encodings.ts';
import type { Verb } from '../bulk/writes.ts';
import { CliError, EXIT, UsageError } from '../failure.ts';
import { addYes, requireFlags } from '../flags/faults.ts';
import { COLUMNS, FLAGS } from '../flags/flag-table.ts';
import { addFlags, bodyOf, type Flag, kebab, requiredOf, valuesOf } from '../flags/flags.ts';
import type { Noun } from '../nouns.ts';
import { addListOptions, printList } from '../output/list.ts';
import { addOutputOptions, type Columns, formatOf, type OutputOptions, printRow } from '../output/rows.ts';
import { say } from '../output/stdout.ts';
import { ALL_CLINICS, ALL_CLINICS_HELP, bodyForClinics, createForClinics } from './all-clinics.ts';

type Given = Record<string, unknown>;

const namesOf = (value: string): string[] => value.split(',').map((name) => name.trim());

const addList = (parent: Command, noun: Noun): void => {
  if (noun.list === undefined) return;
  const { operation, read, short } = noun.list;
  const flags = FLAGS[operation] ?? [];
  const columns: Columns = { shown: noun.columns, all: COLUMNS[operation] ?? [], words: noun.words };
  const command = parent.command('list').description(`List ${noun.description}`);
  if (short !== undefined) command.option(`--${short.flag} <id>`, `the same as --${kebab(short.of)}`);
  addFlags(command, flags);
  addListOptions(command).action(async (options: Given & OutputOptions & { limit?: number }) => {
    const client = await openClient(command, noun.need);
    const { fields } = options;
    const filter = {
      ...valuesOf(flags, options),
      ...(short !== undefined && short.flag in options && { [short.of]: options[short.flag] }),
      // The API selects the fields of records. For other lists, the API has no `fields`, and printRows selects them.
      ...(noun.isProjected === true && fields !== undefined && { fields }),
    };
    await printList((paging) => read(client, filter, paging), options, columns);
  });
};

const addGet = (parent: Command, noun: Noun): void => {
  const { get, getByExternalId, one, need } = noun;
  if (get === undefined) return;
  const command = parent.command('get <id>').description(`Show one ${one}`);
  if (getByExternalId !== undefined) command.option('--external', 'the id is an external id');
  addOutputOptions(command).action(async (id: string, options: OutputOptions & { external?: boolean }) => {
    const read = options.external === true && getByExternalId !== undefined ? getByExternalId : get;
    const { data, response } = await read(await openClient(command, need), id).withResponse();
    await (noun.print?.(data, options) ?? printRow({ ...data }, options, noun.words));
    if (noun.isVersioned && response.etag !== undefined && formatOf(options) === 'table')
      say(`To change only this version: --if-match '${response.etag}'`);
  });
};

/** Prints the record that a change returned. After a table with a secret, it asks the user to store the secret. */
const printChanged = async (changed: object, options: OutputOptions, { words }: Noun): Promise<void> => {
  await printRow(changed as Record<string, unknown>, options, words);
  if (formatOf(options) !== 'table') return;
  if ('secret' in changed) say('The secret is shown only now. Store it.');
  if ('token' in changed) say('The token is shown only now. Store it. It can read patient data in events.');
};

const ONLY_IF_FREE = 'write it only if its time is free';
const bookingOf = ({ onlyIfFree }: { onlyIfFree?: boolean | undefined }): BookingOptions =>
  onlyIfFree === true ? { onlyIfFree } : {};

const DATA = 'a file with a JSON object, or - for stdin; flags take precedence over it';

type Creation = FromOptions & {
  idempotencyKey?: string;
  passwordStdin?: boolean;
  allClinics?: boolean;
};

type FromOptions = Given &
  OutputOptions & {
    data?: string;
    from?: string;
    encoding?: Encoding;
    dryRun?: boolean;
    onlyIfFree?: boolean;
  };

const FROM_HELP = `
--from reads a .csv file whose first row names the fields, or an .ndjson file with one JSON object for each line. The file is
checked as a whole before anything is sent, and with --dry-run nothing is sent. A line of output for each row has its line in the
file, its external id, its id and its result. A journal beside the file records the results, without values of the
rows. After Ctrl-C or a crash, run the same command again. Rows that the service refuses are written to a file beside it:
correct them there, and give that file to --from. Semicolons and tabs between the cells are recognized; columns and rows without
a value are skipped. A file that is not UTF-8 needs --encoding. For stdin, the journal is in the current folder, and the same
command with the same content continues.`;

/** What the rows of a file must name, by the verb. */
const NAMES: Readonly<Record<Verb, string>> = {
  create: '',
  update: ' A row names its record by _id, or by externalId.',
  upsert: ' A row names its record by externalId.',
};

const canReadFile = ({ isIdempotent, kind }: Noun, verb: Verb): boolean =>
  verb === 'create' ? isIdempotent === true : kind !== undefined;

const addFrom = (command: Command, noun: Noun, verb: Verb): void => {
  if (!canReadFile(noun, verb)) return;
  command
    .option('--from <file>', `${verb} a record for each row of a .csv or .ndjson file, or of stdin for -`)
    .addOption(new Option('--encoding <encoding>', 'the encoding of the file').choices(ENCODINGS))
    .option('--dry-run', 'only check the file')
    .addHelpText('after', `${FROM_HELP}${NAMES[verb]}`);
};

/**
 * Writes the rows of a file, if `--from` was given.
 *
 * @param others what must not be given beside a file
 * @returns whether it was given
 */
const ranFrom = async (
  command: Command,
  noun: Noun,
  verb: Verb,
  options: FromOptions,
  others: Record<string, unknown>,
): Promise<boolean> => {
  const { from, encoding, dryRun = false, output, fields, raw } = options;
  if (from === undefined) {
    if (encoding !== undefined || dryRun)
      throw new UsageError('Give --encoding and --dry-run only with --from: they are about that file.');
    return false;
  }
  if (Object.values(others).some((value) => value !== undefined))
    throw new UsageError(
      'Give --from without an id, fields and options of a single record: the file has the fields.',
    );
  // Loaded only here, because most commands do not need it.
  const [{ writeFromFile }, { openInputFile }, { writesOfNoun }] = await Promise.all([
    import('../bulk/command.ts'),
    import('../bulk/rows.ts'),
    import('../bulk/writes.ts'),
  ]);
  const booking = bookingOf(options);
  const writes = writesOfNoun(noun, verb, booking);
  if (writes === undefined)
    throw new UsageError('Give --only-if-free with --from only to create, or change one at a time.');
  const { file, discard } = await openInputFile(from, encoding);
  const { profile } = command.optsWithGlobals<GlobalOptions>();
  const printed = {
    ...(output && { output }),
    ...(fields && { fields }),
    ...(raw !== undefined && { raw }),
  };
  try {
    await writeFromFile(noun, writes, file, { profile, isDryRun: dryRun, output: printed, ...booking });
  } finally {
    await discard();
  }
  return true;
};

/** A noun with its article, such as `an appointment`. */
const withArticle = (noun: string): string => `${/^[aeio]/.test(noun) ? 'an' : 'a'} ${noun}`;

const addCreate = (parent: Command, noun: Noun): void => {
  const { create } = noun;
  if (create === undefined) return;
  const flags = FLAGS[create.operation] ?? [];
  const command = parent.command('create').description(`Create ${withArticle(noun.one)}`);
  addFlags(command, flags);
  command.option('-d, --data <file>', DATA);
  const { createForClinics: forClinics } = noun;
  if (forClinics !== undefined)
    command.option('--all-clinics', ALL_CLINICS).addHelpText('after', ALL_CLINICS_HELP);
  requireFlags(command, requiredOf(flags), (long) => [
    ...['--data', '--from'],
    ...(forClinics !== undefined && long === '--clinic-id' ? ['--all-clinics'] : []),
  ]);
  if (noun.isBooked) command.option('--only-if-free', ONLY_IF_FREE);
  if (noun.hasPassword === true)
    command.option(
      '--password-stdin',
      'read the first password of the operator from stdin. Without it, the operator is invited',
    );
  if (noun.isIdempotent)
    command.option('--idempotency-key <key>', 'calls with the same key create one record');
  addFrom(command, noun, 'create');
  const createOne = async (options: Creation): Promise<void> => {
    const client = await openClient(command, noun.need);
    const body = await bodyOf(flags, options);
    if (noun.hasPassword === true && options.passwordStdin === true)
      body.password = (await readPassword('First password of the operator', true)).password;
    const created = await withConfirmation(client, () =>
      create.send(client, body, options.idempotencyKey, bookingOf(options)),
    );
    await printChanged(created, options, noun);
  };
  addOutputOptions(command).action(async (options: Creation) => {
    if (forClinics !== undefined && options.allClinics === true) {
      const body = await bodyForClinics(flags, options);
      return createForClinics(await openClient(command, noun.need), forClinics, body, options);
    }
    const { data, idempotencyKey } = options;
    if (
      !(await ranFrom(command, noun, 'create', options, {
        ...valuesOf(flags, options),
        data,
        idempotencyKey,
      }))
    )
      await createOne(options);
  });
};

type ChangeOptions = FromOptions & { clear?: string[]; ifMatch?: string };

/** Writes the rows of a file, if `--from` was given. Then no id is needed. @returns the id, if it was not given */
const idUnlessFrom = async (
  command: Command,
  noun: Noun,
  verb: Verb,
  given: { id: string | undefined; flags: readonly Flag[]; options: ChangeOptions },
): Promise<string | undefined> => {
  const { id, flags, options } = given;
  const { data, clear, ifMatch } = options;
  const others = { ...valuesOf(flags, options), id, data, clear, ifMatch };
  if (await ranFrom(command, noun, verb, options, others)) return undefined;
  if (id === undefined) throw new UsageError(`Give the id of the ${noun.one}, or --from with a file.`);
  return id;
};

const addChangeOptions = (command: Command, noun: Noun): void => {
  command.option('-d, --data <file>', DATA);
  if (noun.isIdempotent) command.option('--clear <names>', 'fields to remove, separated by commas', namesOf);
  if (noun.isVersioned) command.option('--if-match <etag>', 'change it only if it still has this version');
  if (noun.isBooked) command.option('--only-if-free', ONLY_IF_FREE);
};

const addUpdate = (parent: Command, noun: Noun): void => {
  if (noun.update === undefined) return;
  const { operation, send } = noun.update;
  const flags = FLAGS[operation] ?? [];
  const operand = canReadFile(noun, 'update') ? '[id]' : '<id>';
  const command = parent.command(`update ${operand}`).description(`Change ${withArticle(noun.one)}`);
  addFlags(command, flags);
  addChangeOptions(command, noun);
  addFrom(command, noun, 'update');
  if (noun.hasPassword === true)
    command.option('--password-stdin', 'read a new password of the operator from stdin');
  addOutputOptions(command).action(
    async (given: string | undefined, options: ChangeOptions & { passwordStdin?: boolean }) => {
      const id = await idUnlessFrom(command, noun, 'update', { id: given, flags, options });
      if (id === undefined) return;
      const client = await openClient(command, noun.need);
      const password = options.passwordStdin
        ? { password: (await readPassword('New password of the operator', true)).password }
        : {};
      const body = await bodyOf(
        flags.map((flag) => ({ ...flag, isRequired: false })),
        options,
        password,
      );
      const changed = await withConfirmation(client, () =>
        send(client, id, body, options.ifMatch, bookingOf(options)),
      );
      await printChanged(changed, options, noun);
    },
  );
};

const whatHappened = ({ isCreated, isChanged }: ResponseInfo, one: string): string => {
  if (isCreated) return `The ${one} was created.`;
  return isChanged ? `The ${one} was changed.` : 'Nothing was changed, and no webhook sent.';
};

const addUpsert = (parent: Command, noun: Noun): void => {
  if (noun.upsert === undefined) return;
  const { operation, send } = noun.upsert;
  const { one, need } = noun;
  const flags = (FLAGS[operation] ?? []).map((flag) => ({ ...flag, isRequired: false }));
  const command = parent
    .command('upsert [external-id]')
    .description(`Change the ${one} with this external id, or create it`);
  addFlags(command, flags);
  addChangeOptions(command, noun);
  addFrom(command, noun, 'upsert');
  addOutputOptions(command).action(async (given: string | undefined, options: ChangeOptions) => {
    const externalId = await idUnlessFrom(command, noun, 'upsert', { id: given, flags, options });
    if (externalId === undefined) return;
    const client = await openClient(command, need);
    const body = await bodyOf(flags, options);
    const { data, response } = await send(
      client,
      externalId,
      body,
      options.ifMatch,
      bookingOf(options),
    ).withResponse();
    await printChanged(data, options, noun);
    if (formatOf(options) === 'table') say(whatHappened(response, one));
  });
};

const addDelete = (parent: Command, noun: Noun): void => {
  const { remove, one, need } = noun;
  if (remove === undefined) return;
  const command = addYes(parent.command('delete <id>').description(`Delete a ${one}`), `delete the ${one}`);
  if (noun.isVersioned) command.option('--if-match <etag>', 'delete it only if it still has this version');
  addOutputOptions(command).action(
    async (id: string, options: OutputOptions & { yes?: boolean; ifMatch?: string }) => {
      const client = await openClient(command, need);
      if (options.yes !== true && !(await confirm(`Delete the ${one} ${id}?`)))
        throw new CliError('Nothing was deleted.', EXIT.failed);
      const deleted = await withConfirmation(client, () => remove(client, id, options.ifMatch));
      await printRow(deleted as Record<string, unknown>, options);
    },
  );
};

/** Adds a noun, without verbs. */
export const addNoun = (program: Command, { name, description, examples }: Noun): Command =>
  program
    .command(name)
    .description(description[0]?.toUpperCase() + description.slice(1))
    .addHelpText('after', `\nExamples:\n${examples.map((line) => `  $ ${line}`).join('\n')}`);

/** Adds the verbs that the operations of a noun allow. */
export const addVerbs = (parent: Command, noun: Noun): void => {
  addList(parent, noun);
  addGet(parent, noun);
  addCreate(parent, noun);
  addUpdate(parent, noun);
  addUpsert(parent, noun);
  addDelete(parent, noun);
};
