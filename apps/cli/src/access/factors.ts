import type { Factors, NewCode, Organization, Passkey, RecoveryCodes } from '@chairside/client';
import type { Command } from 'commander';
import { requireFlags } from '../flags/faults.ts';
import { FLAGS } from '../flags/flag-table.ts';
import { addFlags, bodyOf, requiredOf } from '../flags/flags.ts';
import { addOutputOptions, type OutputOptions, printRow, type Row } from '../output/rows.ts';
import { say } from '../output/stdout.ts';
import { withConfirmation } from './confirmation.ts';
import { openClient } from './open-client.ts';
import { askText } from './prompt.ts';

const FACTORS = '/api/sessions/current/factors';
const ORGANIZATION = '/api/organization';
const pathOf = (passkeyId: string): string => `${FACTORS}/passkeys/${encodeURIComponent(passkeyId)}`;

const printCodes = (codes: readonly string[] | undefined): void => {
  if (codes === undefined) return;
  say('Recovery codes, each for one sign-in without the app. They are shown only once:');
  for (const code of codes) say(`  ${code}`);
};

const addAddCodes = (factors: Command): void => {
  const command = factors
    .command('add-codes')
    .description('Add an app for codes. It asks for your password, and for the first code')
    .action(async () => {
      const client = await openClient(command, 'operator');
      const { secret, uri } = await withConfirmation(client, () =>
        client.request<NewCode>('POST', `${FACTORS}/codes`, { body: {} }),
      );
      say(`Add this secret to your app: ${secret}`);
      say(`As a link: ${uri}`);
      const code = await askText('The code that the app shows', 'the code on a terminal');
      const { recoveryCodes } = await withConfirmation(client, () =>
        client.request<RecoveryCodes>('POST', `${FACTORS}/codes/complete`, { body: { code } }),
      );
      say('Added. From now on you are asked for a code.');
      printCodes(recoveryCodes);
    });
};

/** Adds `factors`: what you are asked besides the password. */
export const addFactorsCommand = (program: Command): void => {
  const factors = program
    .command('factors')
    .description('What you are asked besides the password: passkeys, codes of an app, recovery codes');
  const show = factors.command('show', { isDefault: true }).description('Show them, without secrets');
  addOutputOptions(show).action(async (options: OutputOptions) => {
    const client = await openClient(show, 'operator');
    await printRow({ ...(await client.request<Factors>('GET', FACTORS)) }, options);
  });
  addAddCodes(factors);
  const removeCodes = factors.command('remove-codes').description('Remove the app for codes');
  addOutputOptions(removeCodes).action(async (options: OutputOptions) => {
    const client = await openClient(removeCodes, 'operator');
    await printRow(
      { ...(await withConfirmation(client, () => client.request<Factors>('DELETE', `${FACTORS}/codes`))) },
      options,
    );
  });
  const rename = factors
    .command('rename-passkey <id>')
    .description('Rename a passkey')
    .requiredOption('--name <name>', 'its new name');
  addOutputOptions(rename).action(async (id: string, options: OutputOptions & { name: string }) => {
    const client = await openClient(rename, 'operator');
    await printRow(
      { ...(await client.request<Passkey>('PUT', pathOf(id), { body: { name: options.name } })) },
      options,
    );
  });
  const remove = factors.command('remove-passkey <id>').description('Remove a passkey');
  addOutputOptions(remove).action(async (id: string, options: OutputOptions) => {
    const client = await openClient(remove, 'operator');
    await printRow(
      { ...(await withConfirmation(client, () => client.request<Passkey>('DELETE', pathOf(id)))) },
      options,
    );
  });
  const recovery = factors
    .command('recovery-codes')
    .description('Make new recovery codes. The earlier ones stop working')
    .action(async () => {
      const client = await openClient(recovery, 'operator');
      const made = await withConfirmation(client, () =>
        client.request<RecoveryCodes>('POST', `${FACTORS}/recoverycodes`, { body: {} }),
      );
      printCodes(made.recoveryCodes);
    });
};

/** Adds `organization`: its name, and who must have a factor. */
export const addOrganizationCommand = (program: Command): void => {
  const organization = program
    .command('organization')
    .description('Your organization, and who must have a factor besides the password');
  const show = organization.command('show', { isDefault: true }).description('Show it');
  addOutputOptions(show).action(async (options: OutputOptions) => {
    const client = await openClient(show, 'operator');
    await printRow({ ...(await client.request<Organization>('GET', ORGANIZATION)) }, options);
  });
  const flags = FLAGS.updateOrganization ?? [];
  const update = organization
    .command('update')
    .description('Set who must have a factor besides the password');
  addFlags(update, flags);
  requireFlags(update, requiredOf(flags), () => []);
  addOutputOptions(update).action(async (options: Row & OutputOptions) => {
    const client = await openClient(update, 'operator');
    const changes = await bodyOf(flags, options);
    await printRow(
      {
        ...(await withConfirmation(client, () =>
          client.request<Organization>('PUT', ORGANIZATION, { body: changes }),
        )),
      },
      options,
    );
  });
};
