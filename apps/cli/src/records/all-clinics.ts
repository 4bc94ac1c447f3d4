import type { Chairside, ClinicSubscription } from '@chairside/client';
import { shown } from '@chairside/terminal';
import { CliError, describe, EXIT, UsageError } from '../failure.ts';
import { bodyOf, type Flag } from '../flags/flags.ts';
import type { Noun } from '../nouns.ts';
import { formatOf, type OutputOptions, printRow, printRows, type Row } from '../output/rows.ts';
import { say, write } from '../output/stdout.ts';

export const ALL_CLINICS = 'create one for each clinic; those that a clinic already has are kept';

export const ALL_CLINICS_HELP = `
With --all-clinics, each clinic gets a subscription with the same URL and events, and with a secret of its own, which is printed
at once. The receiver chooses the secret by the header X-Service-Subscription-Id, which has the _id. A clinic that already has a
subscription with this URL and these events keeps it, so the command can be repeated after a failure, and for new clinics.`;

const COLUMNS = ['outcome', 'clinic', 'clinicId', '_id', 'secret', 'active', 'reason'];

/** The body of the new subscriptions. @throws {UsageError} if a clinic is named */
export const bodyForClinics = async (
  flags: readonly Flag[],
  options: Readonly<Record<string, unknown>> & { data?: string },
): Promise<object> => {
  const all = flags.filter(({ name }) => name !== 'clinicId');
  const body = options.clinicId === undefined ? await bodyOf(all, options) : { clinicId: options.clinicId };
  if (body.clinicId !== undefined) throw new UsageError('Give a clinic, or --all-clinics, not both.');
  return body;
};

const rowOf = (result: ClinicSubscription): Row => {
  const { clinic, outcome } = result;
  const common = { outcome, clinic: clinic.name, clinicId: clinic._id };
  if (result.outcome === 'failed') return { ...common, reason: describe(result.error).text };
  if (result.outcome === 'untried') return common;
  const { _id, active } = result.subscription;
  return {
    ...common,
    _id,
    ...(result.outcome === 'created' && { secret: result.subscription.secret }),
    active,
  };
};

/** Prints a result as soon as it is there, because a secret is returned only once. */
const print = async (results: AsyncIterable<ClinicSubscription>, options: OutputOptions): Promise<void> => {
  if (formatOf(options) !== 'table') {
    const pages = (async function* () {
      for await (const result of results) yield [rowOf(result)];
    })();
    return printRows(pages, options, { shown: COLUMNS, all: COLUMNS });
  }
  // A table of one line for each clinic would cut the secrets.
  for await (const result of results) {
    await printRow(rowOf(result), options);
    await write('\n');
  }
};

/**
 * Creates a subscription for each clinic, and prints the group.
 *
 * @throws {CliError} if a clinic has no such subscription in the end
 */
export const createForClinics = async (
  client: Chairside,
  create: NonNullable<Noun['createForClinics']>,
  body: object,
  options: OutputOptions,
): Promise<void> => {
  const counts = { created: 0, kept: 0, differs: 0, failed: 0, untried: 0 };
  const kept: string[] = [];
  const different: string[] = [];
  let failure: ReturnType<typeof describe> | undefined;
  const noted = (async function* () {
    for await (const result of create(client, body)) {
      counts[result.outcome]++;
      if (result.outcome === 'failed') failure ??= describe(result.error);
      if (result.outcome === 'kept' || result.outcome === 'differs')
        (result.outcome === 'kept' ? kept : different).push(
          `${shown(result.clinic.name ?? result.clinic._id)}: ${result.subscription._id}`,
        );
      yield result;
    }
  })();
  await print(noted, options);
  const numbers = Object.entries(counts).filter(([, count]) => count > 0);
  say(
    `Subscriptions: ${numbers.map(([outcome, count]) => `${count} ${outcome}`).join(', ') || 'no clinic'}.`,
  );
  if (kept.length > 0)
    say(`These clinics keep the subscription that they have, with its secret:\n  ${kept.join('\n  ')}`);
  if (counts.created > 0) say('The secrets are shown only now. Store them.');
  if (failure === undefined && different.length > 0)
    throw new CliError(
      `These clinics have a subscription with this URL and these events, but with another payload or other headers. Change it with \`chairside webhooks update\`:\n  ${different.join('\n  ')}`,
    );
  if (failure !== undefined)
    throw new CliError(
      `${failure.text}\nNot every clinic has a subscription. Run the same command again: it creates only those that are missing. If the connection broke, a subscription can be kept whose secret nobody has: delete it first.`,
      failure.exitCode === EXIT.usage ? EXIT.failed : failure.exitCode,
    );
};
