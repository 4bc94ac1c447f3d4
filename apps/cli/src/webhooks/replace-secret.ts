import type { Chairside, WebhookSubscription } from '@chairside/client';
import type { Command } from 'commander';
import { openClient } from '../access/open-client.ts';
import { canAsk, confirm } from '../access/prompt.ts';
import { CliError, UsageError } from '../failure.ts';
import { addOutputOptions, type OutputOptions, printRow } from '../output/rows.ts';
import { say } from '../output/stdout.ts';
import { isFinal, MAX_WAIT_MS, problemOf, untilDone } from './waiting.ts';

/**
 * How long nothing must be queued for the old subscription. An event that a dispatcher was creating deliveries for at the
 * moment of the switch may still be added.
 */
const QUIET_MS = 2000;

const HELP = `
The steps:
  1. A second subscription with a new secret is created. It gets no events. Its secret is printed.
  2. You let the receiver accept both secrets. @chairside/signing takes a list of them, or one by the _id.
  3. A signed test is sent with the new secret. If the receiver does not accept it, nothing is switched.
  4. The new subscription replaces the old one. Each event is sent once, signed with one of the secrets.
  5. What was queued is sent with the old secret. Then you may delete the old subscription, and let the receiver forget the
     old secret.

On a terminal the command asks between the steps. You can end it at any time, and go on with --continue. Without a terminal, it
ends after step 1; --continue --yes does the rest.

Example:
  $ chairside webhooks replace-secret 01JB…`;

type ReplaceOptions = OutputOptions & { continue?: boolean; yes?: boolean };

/** A subscription, and the one that replaces it or is to replace it. */
type Pair = { old: WebhookSubscription; next: WebhookSubscription | undefined };

const readPair = async (client: Chairside, id: string): Promise<Pair> => {
  const old = await client.webhookSubscriptions.get(id);
  if (old.replacedBy !== undefined)
    return { old, next: await client.webhookSubscriptions.get(old.replacedBy) };
  const all = await client.webhookSubscriptions.list().toArray();
  return { old, next: all.find(({ replaces }) => replaces === id) };
};

const goOn = (id: string): string => `chairside webhooks replace-secret ${id} --continue`;

const create = async (client: Chairside, id: string, options: OutputOptions): Promise<string> => {
  const created = await client.webhookSubscriptions.replace(id);
  await printRow({ ...created }, options);
  say('The secret is shown only now. Store it, and let your receiver accept it beside the old one.');
  return created._id;
};

const test = async (client: Chairside, id: string, next: string): Promise<void> => {
  const { _id } = await client.webhookSubscriptions.test(next);
  const delivery = await untilDone(() => client.webhookDeliveries.get(_id), isFinal, MAX_WAIT_MS);
  const problem = problemOf(delivery, 'The receiver did not accept a test with the new secret.');
  if (problem === undefined) return say('The receiver accepts the new secret.');
  const first = delivery.outcome === 'failed' ? 'Correct the receiver, then run' : 'Go on later with';
  throw new CliError(`${problem}\nNothing is switched. ${first}: ${goOn(id)}`);
};

const isQueueEmpty = async (client: Chairside, webhookSubscriptionId: string): Promise<boolean> => {
  for (const outcome of ['queued', 'sending'] as const) {
    const found = client.webhookDeliveries.list({ webhookSubscriptionId, outcome });
    if ((await found.toArray({ limit: 1 })).length > 0) return false;
  }
  return true;
};

const untilQueueIsSent = async (client: Chairside, id: string): Promise<void> => {
  let emptySince = Number.POSITIVE_INFINITY;
  await untilDone(
    async () => {
      const isEmpty = await isQueueEmpty(client, id);
      emptySince = isEmpty ? Math.min(emptySince, performance.now()) : Number.POSITIVE_INFINITY;
      return performance.now() - emptySince;
    },
    (quietMs) => quietMs >= QUIET_MS,
  );
};

const replaceSecret = async (client: Chairside, id: string, options: ReplaceOptions): Promise<void> => {
  const ask = async (question: string) => options.yes === true || (await confirm(question));
  const { old, next } = await readPair(client, id);
  if (next === undefined && options.continue === true)
    throw new CliError(`No subscription is to replace ${id}. Run the command without --continue.`);
  if (next !== undefined && options.continue !== true)
    throw new CliError(
      old.replacedBy === undefined
        ? `Subscription ${next._id} is to replace it already. If you have its secret, run: ${goOn(id)}\nOtherwise delete that one first: chairside webhooks delete ${next._id}`
        : `Subscription ${next._id} has replaced it already. Replace the secret of that one, or finish with: ${goOn(id)}`,
    );
  const nextId = next?._id ?? (await create(client, id, options));
  if (options.continue !== true && !canAsk()) return say(`When it does, run: ${goOn(id)} --yes`);
  if (old.replacedBy === undefined) {
    if (!(await ask('Does the receiver accept both secrets now?')))
      throw new CliError(`Nothing is switched. Go on later with: ${goOn(id)}`);
    await test(client, id, nextId);
    await client.webhookSubscriptions.update(nextId, { active: true });
    say(`Subscription ${nextId} gets the events now, signed with the new secret.`);
  }
  say('Waiting until what was queued is sent with the old secret.');
  await untilQueueIsSent(client, id);
  if (
    !(await ask(
      'Everything is sent. Delete the old subscription? Its deliveries cannot be redelivered then.',
    ))
  )
    return say(`Delete it later with: chairside webhooks delete ${id}`);
  await client.webhookSubscriptions.delete(id);
  say('The old subscription is deleted. Remove the old secret from your receiver.');
};

/** Adds `webhooks replace-secret`. */
export const addReplaceSecret = (webhooks: Command): void => {
  const command = webhooks
    .command('replace-secret <id>')
    .description('Replace the secret of a subscription, step by step, without a lost or a doubled event')
    .option('--continue', 'go on with a replacement that was begun')
    .option('-y, --yes', 'with --continue: test, switch and delete without asking')
    .addHelpText('after', HELP);
  addOutputOptions(command).action(async (id: string, options: ReplaceOptions) => {
    if (options.yes === true && options.continue !== true)
      throw new UsageError('Give --yes only with --continue: the receiver must accept the new secret first.');
    if (options.continue === true && options.yes !== true && !canAsk())
      throw new UsageError('Give --yes with --continue: there is no terminal to ask on.');
    await replaceSecret(await openClient(command, 'operator'), id, options);
  });
};
