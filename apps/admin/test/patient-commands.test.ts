import { expect, test } from 'vitest';
import { buildProgram } from '../src/program.ts';

/*
 * apps/demo/test/canary.long.test.ts runs each command that handles patients, and looks for patient data in what it logs. A
 * new command fails here until it is listed: a command that handles patients must run in the canary test too.
 */

test('the commands that handle patients are those of the canary test', () => {
  const names = buildProgram().commands.flatMap((each) =>
    each.commands.length === 0
      ? [each.name()]
      : each.commands.map((below) => `${each.name()} ${below.name()}`),
  );
  const others = [
    ...[
      'organization create',
      'organization list',
      'organization delete',
      'organization deletions',
      'organization suspend',
      'organization resume',
      'clinic create',
      'clinic update',
      'clinic list',
      'clinic hours',
      'operator list',
      'apikey list',
      'apikey revoke',
      'programtoken list',
      'programtoken revoke',
      'session end',
      'subscription list',
      'subscription disable',
      'host block',
      'host unblock',
      'host list',
      'outbound release',
      'outbound discard',
      // It erases patients once more. restore.service.test.ts runs it, and looks at what it prints.
      'restore seal',
      'restore none',
      'indexes apply',
      'encryption rotate',
      'encryption move-keys',
      'doctor',
      'top',
      // It waits for the running processes. patient-search.long.test.ts runs it without any, and looks at what it prints.
      'organization search',
    ],
    ...['create', 'invite', 'reset-password', 'disable', 'enable', 'reset-factors'].map(
      (name) => `operator ${name}`,
    ),
  ];
  expect(names.filter((name) => !others.includes(name)).sort()).toEqual([
    'delivery list',
    'delivery show',
    'encryption check',
    'encryption rotate-data-key',
    'export',
    'import',
    'patient erase',
  ]);
});
