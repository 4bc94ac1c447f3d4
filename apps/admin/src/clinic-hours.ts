import { readFile, stat } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import {
  type Clinic,
  type Issue,
  isTimezone,
  type OpeningHours,
  readOpeningHours,
  weekdays,
} from '@chairside/domain';
import type { Command } from 'commander';
import { findNodeAtLocation, type ParseError, parseTree } from 'jsonc-parser';
import { audited, type Context, runs, withAuthor } from './command.ts';
import { AdminFailure, UsageFailure } from './failure.ts';
import { lineOf } from './rows.ts';
import { decodeUtf8 } from './utf8.ts';

type HoursOptions = { organization: string };

/** The largest file with opening hours, in bytes. */
const MAX_BYTES = 1_048_576;
/** Maximum number of problems that one run reports. */
const MAX_SHOWN = 20;

const NOTES = `
The file is JSON. A weekday that is absent is closed. An exception replaces the hours of its date; an empty list means closed:
  {
    "weekdays": { "monday": [{ "opens": "08:00", "closes": "12:00" }, { "opens": "13:00", "closes": "17:30" }] },
    "exceptions": [{ "date": "2030-12-24", "intervals": [] }],
    "chairs": 3,
    "slotMinutes": 15
  }
Times are local times in the time zone of the clinic, from 00:00 to 24:00. chairs is the number of appointments that the
clinic holds at once (default 1). slotMinutes is the distance of the starts of free slots (default 15).
The file replaces all hours of the clinic. To change them, edit the output of: clinic hours show --json`;

const lineAt = (text: string, offset: number): number => text.slice(0, offset).split('\n').length;

/** Returns the number of the first line at which a text is not valid JSON. */
const brokenLine = (text: string): number => {
  const errors: ParseError[] = [];
  parseTree(text, errors, { disallowComments: true });
  return lineAt(text, errors[0]?.offset ?? 0);
};

/** Describes an issue with the line of its field. */
const withLine = (text: string, { path, message }: Issue): string => {
  const tree = parseTree(text);
  const segments =
    path === '' ? [] : path.split('.').map((each) => (/^\d+$/.test(each) ? Number(each) : each));
  const found = tree && findNodeAtLocation(tree, segments);
  return [found && `line ${lineAt(text, found.offset)}:`, path, message].filter(Boolean).join(' ');
};

/** @throws {UsageFailure} with the first problems of the file, up to MAX_SHOWN, and what to do */
const readHours = (name: string, bytes: Buffer): OpeningHours => {
  if (bytes.length > MAX_BYTES) {
    throw new UsageFailure(`${name} has more than ${MAX_BYTES} bytes. Give the hours of one clinic.`);
  }
  const text = decodeUtf8(bytes);
  if (text === undefined) throw new UsageFailure(`${name} is not UTF-8. Convert it to UTF-8.`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new UsageFailure(
      `${name} is not JSON, from line ${brokenLine(text)} on. Correct it there. A frequent cause is a missing or an extra comma.`,
    );
  }
  const read = readOpeningHours(value);
  if ('hours' in read) return read.hours;
  const problems = read.issues.slice(0, MAX_SHOWN).map((issue) => `  ${withLine(text, issue)}`);
  const more = read.issues.length - problems.length;
  throw new UsageFailure(
    [
      `${name} does not contain valid opening hours. Nothing was changed. Correct:`,
      ...problems,
      ...(more > 0 ? [`  and ${more} more`] : []),
    ].join('\n'),
  );
};

const readInput = async (file: string): Promise<OpeningHours> => {
  if (file === '-') return readHours('The input', await buffer(process.stdin));
  const facts = await stat(file);
  if (!facts.isFile()) throw new UsageFailure(`${file} is not a file. Give a JSON file, or - for stdin.`);
  return readHours(file, await readFile(file));
};

/** @throws {AdminFailure} if the organization does not exist, or has no such clinic */
const findClinic = async ({ begin, store }: Context, organization: string, id: string) => {
  const run = await begin(organization);
  const { organizationId } = run;
  const found = await store.organization(organizationId).clinics.find(id);
  if (found === undefined) {
    throw new AdminFailure(
      `There is no clinic ${id} in this organization. List the clinics with: chairside-admin clinic list`,
    );
  }
  return { run, clinic: found.record, hours: store.organization(organizationId).openingHours };
};

/** @throws {AdminFailure} if the clinic has no time zone, or an unknown one */
const checkTimezone = ({ _id, timezone }: Clinic, organization: string): void => {
  if (timezone !== undefined && isTimezone(timezone)) return;
  const problem = timezone === undefined ? 'has no time zone' : 'has a time zone that is not known';
  throw new AdminFailure(
    `The clinic ${_id} ${problem}. Set it with: chairside-admin clinic update ${_id} --organization ${organization} --timezone Europe/Berlin`,
  );
};

const DAY_WIDTH = 10;

const linesOf = ({ name, timezone }: Clinic, hours: OpeningHours): string[] => {
  const row = (day: string, intervals: readonly { opens: string; closes: string }[]): string =>
    lineOf(
      day.padEnd(DAY_WIDTH),
      ...(intervals.length === 0 ? ['closed'] : intervals.map(({ opens, closes }) => `${opens}–${closes}`)),
    );
  return [
    lineOf(name, timezone, `chairs: ${hours.chairs}`, `slot: ${hours.slotMinutes} min`),
    ...weekdays.map((day) => row(day, hours.weekdays[day])),
    ...hours.exceptions.map(({ date, intervals }) => row(date, intervals)),
  ];
};

/** Adds `clinic hours show` and `clinic hours set`. */
export const addClinicHoursCommands = (clinic: Command): void => {
  const group = clinic.command('hours').description('show and set the opening hours of a clinic');
  const show = group
    .command('show')
    .description('print the opening hours; with --json in the form that set reads')
    .argument('<clinic>', 'id of the clinic')
    .requiredOption('--organization <id>', 'id of the organization');
  runs(show, async (context, { organization }: HoursOptions, id = '') => {
    const { clinic: found, hours } = await findClinic(context, organization, id);
    const stored = await hours.find(id);
    if (stored === undefined) {
      throw new AdminFailure(
        `The opening hours of the clinic ${id} were never set. Set them with: chairside-admin clinic hours set ${id} <file> --organization ${organization}`,
      );
    }
    return { result: stored.record, lines: linesOf(found, stored.record) };
  });

  const set = withAuthor(group.command('set'))
    .description('replace the opening hours by those of a JSON file')
    .argument('<clinic>', 'id of the clinic')
    .argument('<file>', 'JSON file, or - for stdin')
    .requiredOption('--organization <id>', 'id of the organization')
    .addHelpText('after', NOTES);
  runs(set, async (context, { organization }: HoursOptions, id = '', file = '') => {
    const given = await readInput(file);
    const { run, clinic: found, hours } = await findClinic(context, organization, id);
    checkTimezone(found, organization);
    const { outcome } = await audited(
      context,
      run,
      { action: 'updated', kind: 'openingHours', ids: [id] },
      () => hours.set(id, given),
    );
    if (outcome !== 'written')
      throw new AdminFailure(
        'Other callers change these opening hours at the same time. Run the command again.',
      );
    return { result: given, lines: linesOf(found, given) };
  });
};
