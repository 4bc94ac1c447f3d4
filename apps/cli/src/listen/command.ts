import { styleText } from 'node:util';
import type { ChairsideEvent } from '@chairside/client';
import { shown } from '@chairside/terminal';
import { type Command, Option } from 'commander';
import { type GlobalOptions, openClient } from '../access/open-client.ts';
import { reportOutage } from '../events/outage.ts';
import { WAITING, WATCHING } from '../events/waiting.ts';
import { readTime } from '../flags/times.ts';
import { untilInterrupted } from '../interrupt.ts';
import { jsonOf } from '../output/json.ts';
import { formatOf, type OutputOptions } from '../output/rows.ts';
import { say, write } from '../output/stdout.ts';
import { type ForwardResult, forward, payloadOption, type Sending } from './forward.ts';
import { listenSecretOf, saySecret } from './secret.ts';
import { addTargetFlags, isWanted, type Target, targetsOf } from './targets.ts';

/** Maximum number of events that are sent to one address at the same time. */
const MAX_AT_ONCE = 4;

type Result = { time: string; event: string; id: string; to: string; duration: number } & ForwardResult;

const print = (result: Result, format: 'table' | 'ndjson', isVerbose: boolean): Promise<void> => {
  if (format === 'ndjson') {
    const { body: _body, ...rest } = { body: undefined, ...result };
    return write(`${jsonOf(isVerbose ? result : rest)}\n`);
  }
  const isGood = 'status' in result && result.status >= 200 && result.status < 300;
  const response = 'status' in result ? String(result.status) : result.failure;
  const colored = styleText(isGood ? 'green' : 'red', response, { stream: process.stdout });
  const line = `${result.time}  ${result.event.padEnd(20)}  ${result.id}  → ${result.to}  ${colored}  ${result.duration} ms\n`;
  const body = isVerbose && 'body' in result && result.body !== '' ? `  ${shown(result.body)}\n` : '';
  return write(line + body);
};

/** Sends each event to the targets that want it, a few at the same time. Resolves when every attempt has ended. */
const sendAll = async (
  events: AsyncIterable<ChairsideEvent>,
  targets: readonly Target[],
  send: (target: Target, event: ChairsideEvent) => Promise<void>,
  onEvent: () => void,
): Promise<void> => {
  const inFlight = new Map(targets.map((target) => [target, new Set<Promise<void>>()]));
  const begin = async (event: ChairsideEvent, target: Target, sending: Set<Promise<void>>): Promise<void> => {
    if (!isWanted(event.event, target.events)) return;
    if (sending.size >= MAX_AT_ONCE) await Promise.race(sending);
    const sent = send(target, event).finally(() => sending.delete(sent));
    sending.add(sent);
  };
  try {
    for await (const event of events) {
      onEvent();
      for (const [target, sending] of inFlight) await begin(event, target, sending);
    }
  } finally {
    await Promise.all([...inFlight.values()].flatMap((sending) => [...sending]));
  }
};

type ListenOptions = OutputOptions & {
  clinicId?: string;
  like?: string;
  since?: string;
  allowRemote?: boolean;
  payload?: Sending['payload'];
  verbose?: boolean;
};

/** Sends events until Ctrl-C. @param given the addresses with their events, as the flags name them */
const listen = async (
  command: Command,
  given: ReturnType<typeof addTargetFlags>,
  options: ListenOptions,
): Promise<void> => {
  // Wrong addresses are reported before any request.
  targetsOf(given, [], options.allowRemote ?? false);
  const client = await openClient(command, options.like === undefined ? 'any' : 'operator');
  const like = options.like === undefined ? undefined : await client.webhookSubscriptions.get(options.like);
  const targets = targetsOf(given, like?.events ?? [], options.allowRemote ?? false);
  const clinicId = options.clinicId ?? like?.clinicId;
  const secret = await listenSecretOf(command.optsWithGlobals<GlobalOptions>().profile, client.baseUrl);
  const sending = {
    secret,
    subscriptionId: like?._id ?? 'listen',
    payload: options.payload ?? like?.payload ?? 'full',
  };
  const signal = untilInterrupted();
  const outage = reportOutage();
  const follower = client.events.follow({
    since: options.since ?? new Date(),
    clinicId,
    ...WATCHING,
    signal,
    onFailure: outage.onFailure,
  });
  saySecret(secret, sending.subscriptionId);
  for (const { url, events } of targets)
    say(`${events.length === 0 ? 'All events' : events.join(', ')} → ${url}`);
  say(WAITING);

  const format = formatOf(options) === 'ndjson' ? 'ndjson' : 'table';
  const send = async (target: Target, event: ChairsideEvent): Promise<void> => {
    const startedAt = performance.now();
    const response = await forward(target.url, event, { ...sending, deliveryId: `listen-${event.id}` });
    const { event: name, id } = event;
    const result = { time: new Date().toISOString(), event: name, id, to: target.url.href };
    await print(
      { ...result, duration: Math.round(performance.now() - startedAt), ...response },
      format,
      options.verbose ?? false,
    );
  };
  await sendAll(follower, targets, send, outage.onEvent).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
};

/** Adds `listen`. */
export const addListenCommand = (program: Command): void => {
  const command = program
    .command('listen')
    .description('Send new events, signed, to a receiver on this computer, until Ctrl-C');
  const given = addTargetFlags(command);
  command
    .option('--clinic-id <id>', 'only events of this clinic')
    .option(
      '--like <subscription>',
      'use the events, the clinic, the payload and the id of this subscription; needs an operator',
    )
    .addOption(payloadOption())
    .addOption(
      new Option('--since <time>', 'begin with the events since this time, at most 30 days ago').argParser(
        (text) => readTime(text),
      ),
    )
    .option('--allow-remote', 'allow addresses of other computers, with https')
    .option('-v, --verbose', 'show the body of each response')
    .addOption(
      new Option('-o, --output <format>', 'table on a terminal, ndjson elsewhere').choices([
        'table',
        'ndjson',
      ]),
    )
    .addHelpText(
      'after',
      `
No public address is needed: events come from the event log, one to two seconds after the write. Each event is sent once, with
the headers of a webhook. The secret is printed at the start; give it to your receiver. Ctrl-C ends with the exit code 0.

Examples:
  $ chairside listen --forward-to http://localhost:4000/webhooks
  $ chairside listen --events 'patient.*' --forward-to http://localhost:4000/patients \\
      --events invoice.paid --forward-to http://localhost:4000/invoices`,
    )
    .action((options: ListenOptions) => listen(command, given, options));
};
