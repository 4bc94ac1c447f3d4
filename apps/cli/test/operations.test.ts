import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { readExamples, readOperations } from '../scripts/flags.ts';
import { COLUMNS, FLAGS } from '../src/flags/flag-table.ts';
import { kebab } from '../src/flags/flags.ts';
import { EXAMPLES } from '../src/listen/example-table.ts';
import { NOUNS } from '../src/nouns.ts';
import { buildProgram } from '../src/program.ts';

const document = JSON.parse(readFileSync(new URL('../../../docs/openapi.json', import.meta.url), 'utf8'));

/** Operations without a command, each with the reason. */
const WITHOUT_COMMAND: Readonly<Record<string, string>> = {
  getLiveness: 'for what runs the service, such as Kubernetes',
  getReadiness: 'for what runs the service, such as Kubernetes',
  getOpenApiDocument: 'for tools; the flags of the command line are made from it',
  getReferencePage: 'a page for people: `open docs`',
  getGuide: 'a page for people: `open docs`',
  getLimitsPage: 'a page for people: `open docs`',
  getSignaturesPage: 'a page for people: `open docs`',
  searchPatients: '`patients list` sends it if it has --name, --phone or --email',
  writeBatch: '`--from` sends the rows of a file in batches',
  completeInvitation: 'the page that the link of an invitation leads to sends it',
  getPasswordResetState: 'the sign-in page of the dashboard sends it',
  requestPasswordReset: 'the sign-in page of the dashboard sends it',
  completePasswordReset: 'the page that the link of a mail leads to sends it',
  getNoticeSettings: 'the page Account of the dashboard shows and switches them',
  updateNoticeSettings: 'the page Account of the dashboard shows and switches them',
  beginPasskeySignIn: 'a passkey needs a browser; the sign-in page of the dashboard sends it',
  beginPasskey: 'a passkey needs a browser; the dashboard sends it',
  completePasskey: 'a passkey needs a browser; the dashboard sends it',
  previewOpeningHours: 'for forms, which show the free slots while a person edits the hours',
};

/** The command that sends each operation. */
const COMMANDS: Readonly<Record<string, string>> = {
  signIn: 'login',
  answerChallenge: 'login',
  getFactors: 'factors show',
  beginCodes: 'factors add-codes',
  completeCodes: 'factors add-codes',
  removeCodes: 'factors remove-codes',
  renamePasskey: 'factors rename-passkey',
  removePasskey: 'factors remove-passkey',
  replaceRecoveryCodes: 'factors recovery-codes',
  getOrganization: 'organization show',
  updateOrganization: 'organization update',
  getCurrentSession: 'whoami',
  getCurrentApiKey: 'whoami',
  rotateApiKey: 'keys rotate',
  signOut: 'logout',
  listSessions: 'tokens sessions',
  listProgramTokens: 'tokens list',
  createProgramToken: 'tokens create',
  endSession: 'tokens delete',
  confirmPassword: 'tokens confirm',
  changePassword: 'tokens change-password',
  listOperators: 'operators list',
  createOperator: 'operators create',
  inviteOperatorAgain: 'operators invite',
  getOperator: 'operators get',
  updateOperator: 'operators update',
  deleteOperator: 'operators delete',
  listOperatorSessions: 'operators sessions',
  endOperatorSessions: 'operators end-sessions',
  listNotices: 'operators notices',
  resetOperatorFactors: 'operators reset-factors',
  listConnections: 'connections list',
  deleteConnection: 'connections delete',
  listApiKeys: 'keys list',
  createApiKey: 'keys create',
  getApiKey: 'keys get',
  updateApiKey: 'keys update',
  deleteApiKey: 'keys delete',
  revealApiKey: 'keys reveal',
  listClinics: 'clinics list',
  getClinic: 'clinics get',
  listPatients: 'patients list',
  createPatient: 'patients create',
  getPatient: 'patients get',
  getPatientByExternalId: 'patients get',
  upsertPatient: 'patients upsert',
  updatePatient: 'patients update',
  deletePatient: 'patients delete',
  exportPatient: 'patients export',
  listAppointments: 'appointments list',
  createAppointment: 'appointments create',
  getAppointment: 'appointments get',
  getAppointmentByExternalId: 'appointments get',
  upsertAppointment: 'appointments upsert',
  updateAppointment: 'appointments update',
  deleteAppointment: 'appointments delete',
  listInvoices: 'invoices list',
  getInvoice: 'invoices get',
  listPayments: 'payments list',
  getPayment: 'payments get',
  listTreatments: 'treatments list',
  getTreatment: 'treatments get',
  listProviders: 'providers list',
  getProvider: 'providers get',
  listProcedures: 'procedures list',
  getProcedure: 'procedures get',
  listCalendarBlocks: 'blocks list',
  getCalendarBlock: 'blocks get',
  createProvider: 'providers create',
  updateProvider: 'providers update',
  deleteProvider: 'providers delete',
  createProcedure: 'procedures create',
  updateProcedure: 'procedures update',
  deleteProcedure: 'procedures delete',
  createCalendarBlock: 'blocks create',
  updateCalendarBlock: 'blocks update',
  deleteCalendarBlock: 'blocks delete',
  getOpeningHours: 'hours get',
  setOpeningHours: 'hours set',
  findAvailability: 'availability',
  listWebhookSubscriptions: 'webhooks list',
  createWebhookSubscription: 'webhooks create',
  getWebhookSubscription: 'webhooks get',
  updateWebhookSubscription: 'webhooks update',
  deleteWebhookSubscription: 'webhooks delete',
  testWebhookSubscription: 'webhooks test',
  redeliverWebhooks: 'webhooks redeliver',
  getWebhookRedelivery: 'webhooks redelivery',
  stopWebhookRedelivery: 'webhooks stop-redelivery',
  listWebhookRedeliveries: 'webhooks redeliveries',
  listWebhookDeliveries: 'deliveries list',
  listAllWebhookDeliveries: 'deliveries list',
  getWebhookDelivery: 'deliveries get',
  redeliverWebhook: 'deliveries redeliver',
  listEvents: 'events list',
  getEvent: 'events get',
  listAuditEntries: 'audit list',
  getServiceStatus: 'status',
  listWebhookStatistics: 'webhooks statistics',
};

/** Commands that do not belong to exactly one operation, each with the reason. */
const WITHOUT_OPERATION: Readonly<Record<string, string>> = {
  'profiles list': 'reads a file of this computer',
  'profiles use': 'changes a file of this computer',
  'profiles remove': 'changes a file of this computer',
  'events follow': 'sends listEvents again and again',
  'events trigger': 'sends an example from this computer, without the service',
  'webhooks replace-secret':
    'sends createWebhookSubscription, testWebhookSubscription and others, step by step',
  listen: 'sends listEvents again and again',
  verify: 'checks a signature without the API',
  api: 'sends any operation',
  open: 'opens the browser',
};

/**
 * For each command with secret fields, the option that reads them from stdin. The value of a flag would be visible in
 * the list of processes.
 */
const SECRETS: Readonly<Record<string, string>> = {
  'operators create': '--password-stdin',
  'operators update': '--password-stdin',
  'tokens confirm': '--password-stdin',
  'tokens change-password': '--password-stdin',
  'keys reveal': '--password-stdin',
  login: '--password-stdin',
};

type Described = {
  operationId: string;
  path: string;
  parameters: { in: string; name: string }[];
  hasSecret: boolean;
};

const resolve = (part: any): any =>
  typeof part?.$ref === 'string'
    ? part.$ref
        .slice(2)
        .split('/')
        .reduce((at: any, name: string) => at[name], document)
    : part;
const described: Described[] = Object.entries<any>(document.paths).flatMap(([path, methods]) =>
  Object.values<any>(methods).map(({ operationId, parameters = [], requestBody }) => {
    const { properties = {} } = resolve(requestBody?.content['application/json'].schema) ?? {};
    return { operationId, path, parameters: parameters.map(resolve), hasSecret: 'password' in properties };
  }),
);

/** The commands without subcommands, by their words. */
const leaves = (parent: Command, args: readonly string[] = []): [string, Command][] =>
  parent.commands.length === 0
    ? [[args.join(' '), parent]]
    : parent.commands.flatMap((command) => leaves(command, [...args, command.name()]));
const commands = new Map(leaves(buildProgram()));
const flagsOf = (name: string): (string | undefined)[] =>
  commands.get(name)?.options.map(({ long }) => long ?? undefined) ?? [];

/** The flag of a parameter of the document; undefined for a parameter without a flag. */
const flagOf = (name: string): string | undefined => {
  // The command line reads pages up to --limit, and prints a record even if it is unchanged.
  if (name === 'cursor' || name === 'If-None-Match') return undefined;
  return `--${kebab(name.replace(/^[A-Z]/, (letter) => letter.toLowerCase()).replace(/-[A-Z]/g, (part) => part.slice(1)))}`;
};

describe('the operations of the OpenAPI document', () => {
  test('have a command, or a reason for having none', () => {
    const ids = described.map(({ operationId }) => operationId);
    expect([...Object.keys(COMMANDS), ...Object.keys(WITHOUT_COMMAND)].sort()).toEqual([...ids].sort());
  });

  test('are what the commands send, except for commands with a reason', () => {
    const named = new Set([...Object.values(COMMANDS), ...Object.keys(WITHOUT_OPERATION)]);
    expect([...commands.keys()].sort()).toEqual([...named].sort());
  });

  test.each(Object.entries(COMMANDS))('%s: %s has its parameters and fields as flags', (id, name) => {
    const operation = described.find(({ operationId }) => operationId === id) as Described;
    const args = operation.parameters.flatMap((parameter) =>
      parameter.in === 'path' ? [] : [flagOf(parameter.name) ?? []].flat(),
    );
    const fields = (FLAGS[id] ?? []).map((flag) => `--${kebab(flag.name)}`);
    expect(flagsOf(name)).toEqual(expect.arrayContaining([...args, ...fields]));
    const ids = operation.path.match(/\{\w+\}/g) ?? [];
    const isInFlag = name === 'deliveries list';
    expect(commands.get(name)?.registeredArguments).toHaveLength(isInFlag ? 0 : ids.length);
  });

  test('take secrets from a prompt or stdin, never from a flag', () => {
    const withSecret = described.filter(
      ({ hasSecret, operationId }) => hasSecret && !(operationId in WITHOUT_COMMAND),
    );
    const names = withSecret.map(({ operationId }) => COMMANDS[operationId] ?? operationId);
    expect(names.sort()).toEqual(Object.keys(SECRETS).sort());
    for (const [name, flag] of Object.entries(SECRETS)) expect(flagsOf(name)).toContain(flag);
    for (const [name, command] of commands) {
      const taking = command.options.filter((option) => option.required).map(({ long }) => long);
      expect(
        taking.filter((long) => /password|token|secret$|api-key/.test(long ?? '')),
        name,
      ).toEqual([]);
    }
  });
});

test('the flags, columns and examples are those of the document', () => {
  const message =
    'apps/cli/src/flags/flag-table.ts is stale: run `pnpm --filter chairside generate` and commit it';
  expect({ flags: FLAGS, columns: COLUMNS }, message).toEqual(readOperations());
  expect(EXAMPLES, 'run `pnpm --filter chairside generate`').toEqual(readExamples());
});

test.each(NOUNS)('the table of $name shows fields that its rows have', ({ name, columns }) => {
  const [operation = ''] = Object.entries(COMMANDS).find(([, command]) => command === `${name} list`) ?? [];
  expect(COLUMNS[operation]).toEqual(expect.arrayContaining([...columns]));
});

describe('the known events', () => {
  const events = document.components.schemas.WebhookSubscriptionCreate.properties.events.items
    .enum as string[];
  const EVENTS: Readonly<Record<string, readonly string[]>> = {
    'events list': events.filter((name) => !name.endsWith('*')),
    'events follow': events.filter((name) => !name.endsWith('*')),
    'webhooks create': events,
    'webhooks update': events,
    listen: events,
  };

  test.each(Object.entries(EVENTS))('are complete in the help of %s, at any width', (name, wanted) => {
    const command = commands.get(name) as Command;
    for (const width of [1, 40, 80, 400]) {
      command.configureOutput({ getOutHelpWidth: () => width });
      const words = command.helpInformation().split(/[\s,()"]+/);
      expect(words, `${width}`).toEqual(expect.arrayContaining([...wanted]));
    }
  });

  test.each(Object.entries(EVENTS))('are complete in the error of %s', (name, wanted) => {
    const flag = flagsOf(name).includes('--events') ? '--events' : '--event';
    const program = buildProgram();
    const parse = () => program.parse([...name.split(' '), flag, 'nothing'], { from: 'user' });
    expect(parse).toThrow(`Allowed choices are ${wanted.join(', ')}.`);
  });
});
