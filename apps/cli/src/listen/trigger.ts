import { randomUUID } from 'node:crypto';
import { shown } from '@chairside/terminal';
import { isWebhookSecret } from '@chairside/webhook-request';
import { Argument, type Command } from 'commander';
import type { GlobalOptions } from '../access/open-client.ts';
import { CliError, UsageError } from '../failure.ts';
import { addOutputOptions, type OutputOptions, printRow } from '../output/rows.ts';
import { EXAMPLES } from './example-table.ts';
import { forward, payloadOption, type Sending } from './forward.ts';
import { listenSecretOf, saySecret } from './secret.ts';
import { checkScheme, readUrl } from './targets.ts';

/** The secret of the receiver, from the environment or the one of `listen`. */
const secretOf = async (
  command: Command,
  variable: string | undefined,
  subscriptionId: string,
): Promise<string> => {
  if (variable === undefined) {
    const secret = await listenSecretOf(
      command.optsWithGlobals<GlobalOptions>().profile,
      process.env.CHAIRSIDE_URL,
    );
    saySecret(secret, subscriptionId);
    return secret;
  }
  const secret = process.env[variable];
  if (!secret) throw new UsageError(`The environment variable ${variable} is not set.`);
  if (isWebhookSecret(secret)) return secret;
  throw new UsageError(
    `The environment variable ${variable} has no secret of a subscription, which is "whsec_" with 32 letters and digits.`,
  );
};

/** The example of an event as if it happened now. Its id is new, so that no receiver takes it for a repetition. */
const exampleOf = (event: string, now: Date) => {
  const { lastEditTime, ...data } = EXAMPLES[event] ?? {};
  return {
    id: `example-${randomUUID()}`,
    event,
    timestamp: Math.floor(now.getTime() / 1000),
    data: { ...data, ...(lastEditTime !== undefined && { lastEditTime: now.toISOString() }) },
    origin: { kind: 'operator' as const },
    ...(event.endsWith('.updated') && { changed: [] }),
  };
};

type TriggerOptions = OutputOptions & {
  forwardTo: URL;
  payload?: Sending['payload'];
  subscriptionId: string;
  secretEnv?: string;
};

/** Adds `events trigger`, which sends an example to a receiver. */
export const addTrigger = (events: Command): void => {
  const command = events
    .command('trigger')
    .description('Send an example of an event, signed, to your receiver. Nothing changes in the practice')
    .addArgument(new Argument('<event>', 'the name of the event').choices(Object.keys(EXAMPLES)))
    .requiredOption('--forward-to <address>', 'the address of your receiver', readUrl)
    .addOption(payloadOption().default('full'))
    .option('--subscription-id <id>', 'the subscription that the receiver is to see', 'example')
    .option('--secret-env <name>', 'the environment variable with the secret of your receiver')
    .addHelpText(
      'after',
      `
This computer sends the example, not the service: with the data of the API reference, a new id that begins with "example-", and
the headers and the signature of a webhook. There is no record, no event in the log and no delivery. Without --secret-env, it
is signed with the secret of \`chairside listen\`, which is printed. For an event of the service, change a record, for example
with \`chairside patients create\`, or send a test.ping with \`chairside webhooks test\`.

Example:
  $ chairside events trigger invoice.paid --forward-to http://localhost:4000/webhooks --secret-env CHAIRSIDE_WEBHOOK_SECRET`,
    );
  addOutputOptions(command).action(async (event: string, options: TriggerOptions) => {
    const { forwardTo, payload = 'full', subscriptionId, secretEnv } = options;
    checkScheme(forwardTo);
    const secret = await secretOf(command, secretEnv, subscriptionId);
    const example = exampleOf(event, new Date());
    const startedAt = performance.now();
    const response = await forward(forwardTo, example, {
      secret,
      payload,
      deliveryId: example.id,
      subscriptionId,
    });
    const duration = Math.round(performance.now() - startedAt);
    await printRow({ event, id: example.id, to: forwardTo.href, duration, ...response }, options);
    if ('failure' in response) throw new CliError(`The receiver did not respond: ${response.failure}.`);
    if (response.status < 200 || response.status > 299)
      throw new CliError(
        `The receiver responded with ${response.status} ${shown(response.body)}`.trimEnd() +
          '. A receiver accepts an event with a status of 2xx.',
      );
  });
};
