import { type Command, InvalidArgumentError } from 'commander';
import { UsageError } from '../failure.ts';
import { FLAGS } from '../flags/flag-table.ts';

/**
 * A receiver and its events: names such as `patient.created` and families such as `patient.*`. No entry means all
 * events.
 */
export type Target = { url: URL; events: readonly string[] };

/** The value of one flag `--events` or `--forward-to`. */
type Given = { events: readonly string[] } | { url: URL };

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\]|.+\.localhost)$/;

const isLoopback = ({ hostname }: URL): boolean => LOOPBACK.test(hostname);

/** @throws {UsageError} for plain http to another computer */
export const checkScheme = (url: URL): void => {
  if (isLoopback(url) || url.protocol === 'https:') return;
  throw new UsageError(
    `${url.host}: give an address with https://. Plain http is allowed only to this computer.`,
  );
};

/** Reads the address of a receiver. @throws {InvalidArgumentError} if it is not an address of http or https */
export const readUrl = (value: string): URL => {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  if (url !== undefined && /^https?:$/.test(url.protocol) && url.username === '') return url;
  throw new InvalidArgumentError('Give an address such as http://localhost:4000/webhooks.');
};

/** The events of a subscription: names such as `patient.created`, and families such as `patient.*`. */
const EVENTS = FLAGS.createWebhookSubscription?.find(({ name }) => name === 'events')?.choices ?? [];

const readEvents = (value: string): string[] => {
  const names = value.split(',').map((name) => name.trim());
  if (names.every((name) => EVENTS.includes(name))) return names;
  throw new InvalidArgumentError(`Allowed choices are ${EVENTS.join(', ')}.`);
};

/**
 * Adds `--events` and `--forward-to`, which can be repeated in pairs.
 *
 * @returns a list that parsing fills, in the order of the flags
 */
export const addTargetFlags = (command: Command): readonly Given[] => {
  const given: Given[] = [];
  command
    .option(
      '--events <a,b,…>',
      `only these events, for the next --forward-to: ${EVENTS.join(', ')}`,
      (value) => {
        given.push({ events: readEvents(value) });
      },
    )
    .option('--forward-to <address>', 'where events are sent; may repeat', (value) => {
      given.push({ url: readUrl(value) });
    });
  return given;
};

/** Whether a target wants an event: the list contains its name or its family, or is empty. */
export const isWanted = (event: string, wanted: readonly string[]): boolean =>
  wanted.length === 0 ||
  wanted.some((each) => each === event || (each.endsWith('.*') && event.startsWith(each.slice(0, -1))));

/**
 * Assigns each `--events` to the `--forward-to` that follows it. If there is only one `--forward-to`, `--events` may
 * follow it.
 *
 * @throws {UsageError} if there is no address, an `--events` has no address, or an address is not allowed
 */
export const targetsOf = (
  given: readonly Given[],
  byDefault: readonly string[],
  allowRemote: boolean,
): Target[] => {
  const targets: { url: URL; events: readonly string[] | undefined }[] = [];
  let waiting: readonly string[] | undefined;
  for (const each of given) {
    if ('events' in each) {
      if (waiting !== undefined) throw new UsageError('Give --forward-to after each --events.');
      waiting = each.events;
    } else {
      targets.push({ url: each.url, events: waiting });
      waiting = undefined;
    }
  }
  const [only] = targets;
  if (only === undefined) throw new UsageError('Give --forward-to with the address of your receiver.');
  if (waiting !== undefined) {
    if (targets.length > 1 || only.events !== undefined)
      throw new UsageError('Give --forward-to after each --events.');
    only.events = waiting;
  }
  for (const { url } of targets) {
    if (!allowRemote && !isLoopback(url))
      throw new UsageError(
        `${url.host} is not this computer. Events contain patient data: give --allow-remote to send them there.`,
      );
    checkScheme(url);
  }
  return targets.map(({ url, events }) => ({ url, events: events ?? byDefault }));
};
