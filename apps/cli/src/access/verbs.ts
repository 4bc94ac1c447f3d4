import type { Operator } from '@chairside/client';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { CliError } from '../failure.ts';
import { addYes } from '../flags/faults.ts';
import { COLUMNS } from '../flags/flag-table.ts';
import { addListOptions, printList } from '../output/list.ts';
import { addOutputOptions, type OutputOptions, printRow, printRows } from '../output/rows.ts';
import { say } from '../output/stdout.ts';
import { withConfirmation } from './confirmation.ts';
import { withFactor } from './factor.ts';
import { openClient } from './open-client.ts';
import { confirm, readPassword, readPasswords } from './prompt.ts';

const wholeHours = (text: string): number => {
  if (/^\d+$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Give a whole number of hours.');
};

const addRotate = (keys: Command): void => {
  const command = keys
    .command('rotate <id>')
    .description('Give a key a new secret, and show it. The former one works for a while')
    .option(
      '--overlap-hours <hours>',
      'for how many hours the former secret works, from 0 to 168',
      wholeHours,
      24,
    );
  addOutputOptions(command).action(async (id: string, options: OutputOptions & { overlapHours: number }) => {
    const client = await openClient(command, 'operator');
    const { overlapHours } = options;
    const rotated = await withConfirmation(client, () => client.apiKeys.rotate(id, { overlapHours }));
    await printRow({ ...rotated }, options);
  });
};

/** Adds `keys reveal` and `keys rotate`. */
export const addKeyVerbs = (keys: Command): void => {
  addRotate(keys);
  const command = keys
    .command('reveal <id>')
    .description('Show a key with its secret. It asks for your own password')
    .option('--password-stdin', 'read your password from stdin');
  addOutputOptions(command).action(
    async (id: string, options: OutputOptions & { passwordStdin?: boolean }) => {
      const client = await openClient(command, 'operator');
      const entered = await readPassword('Your password', options.passwordStdin);
      const { password } = entered;
      const revealed = await withFactor(entered, (answer) =>
        client.apiKeys.reveal(id, { password, ...answer }),
      );
      await printRow({ ...revealed }, options);
    },
  );
};

const SHOWN = ['_id', 'createdTime', 'lastUsedTime', 'expiryTime', 'address', 'userAgent'];

const addEndSessions = (operators: Command): void => {
  const command = addYes(
    operators
      .command('end-sessions <id>')
      .description('End all sessions of an operator, and show those that were open'),
    'end the sessions',
  );
  addOutputOptions(command).action(async (id: string, options: OutputOptions & { yes?: boolean }) => {
    const client = await openClient(command, 'operator');
    if (options.yes !== true && !(await confirm(`End all sessions of the operator ${id}?`)))
      throw new CliError('No session was ended.');
    const ended = await withConfirmation(client, () => client.operators.endSessions(id));
    const pages = (async function* () {
      yield ended.map((session) => ({ ...session }));
    })();
    await printRows(pages, options, { shown: SHOWN, all: COLUMNS.endOperatorSessions ?? [] });
  });
};

const addInvite = (operators: Command): void => {
  const command = operators
    .command('invite <id>')
    .description('Make a new link for an operator who was invited. The earlier link stops working');
  addOutputOptions(command).action(async (id: string, options: OutputOptions) => {
    const client = await openClient(command, 'operator');
    const invited = await withConfirmation(client, () => client.operators.invite(id));
    await printRow({ ...invited }, options);
  });
};

const addNotices = (operators: Command): void => {
  const command = operators
    .command('notices')
    .description('List the mails of the last 30 days that have told operators what happened');
  addListOptions(command).action(async (options: OutputOptions & { limit?: number }) => {
    const client = await openClient(command, 'operator');
    await printList((paging) => client.operators.notices(paging), options, {
      shown: ['createdTime', 'operatorId', 'state', 'facts'],
      all: COLUMNS.listNotices ?? [],
    });
  });
};

const addResetFactors = (operators: Command): void => {
  const command = addYes(
    operators
      .command('reset-factors <id>')
      .description(
        'Remove the passkeys, the app for codes and the recovery codes of an operator who has lost them, and end the sessions',
      ),
    'remove the factors',
  );
  addOutputOptions(command).action(async (id: string, options: OutputOptions & { yes?: boolean }) => {
    const client = await openClient(command, 'operator');
    if (options.yes !== true && !(await confirm(`Remove all factors of the operator ${id}?`)))
      throw new CliError('Nothing was removed.');
    const operator = await withConfirmation(client, () =>
      client.request<Operator>('DELETE', `/api/operators/${encodeURIComponent(id)}/factors`),
    );
    await printRow({ ...operator }, options);
  });
};

/** Adds `operators invite`, `operators sessions`, `operators end-sessions`, `operators reset-factors` and `operators notices`. */
export const addOperatorVerbs = (operators: Command): void => {
  addInvite(operators);
  addEndSessions(operators);
  addResetFactors(operators);
  addNotices(operators);
  const command = operators.command('sessions <id>').description('List the sessions of an operator');
  addOutputOptions(command).action(async (id: string, options: OutputOptions) => {
    const client = await openClient(command, 'operator');
    const pages = (async function* () {
      for await (const { data } of client.operators.sessions(id).pages())
        yield data.map((session) => ({ ...session }));
    })();
    await printRows(pages, options, { shown: SHOWN, all: COLUMNS.listOperatorSessions ?? [] });
  });
};

const addOwnSessions = (tokens: Command): void => {
  const command = tokens
    .command('sessions')
    .description('List your own sessions. Each has an access token, which `tokens delete <id>` ends');
  addListOptions(command).action(async (options: OutputOptions & { limit?: number }) => {
    const client = await openClient(command, 'operator');
    await printList((paging) => client.sessions.list(paging), options, {
      shown: SHOWN,
      all: COLUMNS.listSessions ?? [],
    });
  });
};

/** Adds `tokens sessions`, `tokens confirm` and `tokens change-password`. */
export const addTokenVerbs = (tokens: Command): void => {
  addOwnSessions(tokens);
  const confirm = tokens
    .command('confirm')
    .description('Confirm your password. For ten minutes the session can change keys and operators')
    .option('--password-stdin', 'read the password from stdin, and a code from its second line')
    .addOption(new Option('--for <what>', 'needed before your factors are changed').choices(['factors']))
    .action(async ({ for: what, ...options }: { passwordStdin?: boolean; for?: 'factors' }) => {
      const client = await openClient(confirm, 'operator');
      const entered = await readPassword('Your password', options.passwordStdin);
      const { password } = entered;
      await withFactor(entered, (answer) =>
        client.sessions.confirm({ password, ...(what && { for: what }), ...answer }),
      );
      say('Confirmed for ten minutes.');
    });
  const change = tokens
    .command('change-password')
    .description('Change your own password. Your other sessions end')
    .option(
      '--password-stdin',
      'read the current password from the first line of stdin, and the new one from the second',
    )
    .action(async (options: { passwordStdin?: boolean }) => {
      const client = await openClient(change, 'operator');
      const entered = await readPasswords(options.passwordStdin);
      const { password, newPassword } = entered;
      await withFactor(entered, (answer) =>
        client.sessions.changePassword({ password, newPassword, ...answer }),
      );
      say('Changed. Your other sessions have ended.');
    });
};
