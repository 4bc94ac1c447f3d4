import { setTimeout as sleep } from 'node:timers/promises';
import { clock } from '@chairside/domain';
import type { Usage, UsageRow, Used, WaitingDeliveries } from '@chairside/mongodb/administration';
import { shown } from '@chairside/terminal';
import type { Command } from 'commander';
import { type Context, isOnTerminal, type Output, runs, sayAfresh } from './command.ts';
import { interruption } from './interruption.ts';

/** How many rows each table has. */
const ROWS = 10;
/** How often processes tell what they are used for. */
const INTERVAL_MS = 10_000;

const NOTES = `
Each process tells every 10 s what it was used for, so a frame is at most that old. Rates are those of all processes together.

  computing   milliseconds that an api computes for requests, in each second
  attempts    webhooks that dispatchers send

On a terminal, a new frame is shown every 10 s until Ctrl-C. Elsewhere, with --once and with --json, there is one.`;

/** The figures are rates, in each second. */
type Frame = {
  time: string;
  organizations: ({ organizationId: string; name?: string } & Used)[];
  users: ({ organizationId: string; user: string } & Used)[];
  receivers: (WaitingDeliveries & { organizationId?: string; receiver?: string })[];
};

const figures = ['requests', 'writes', 'computedMs', 'attempts'] as const;
const costOf = ({ requests, computedMs, attempts }: Used): number => requests + attempts + computedMs;

/** Sums the rates of rows with the same name. The largest come first. */
const summed = (usages: readonly Usage[], nameOf: (row: UsageRow) => string): UsageRow[] => {
  const sums = new Map<string, UsageRow>();
  for (const { since, until, rows } of usages) {
    const seconds = Math.max(1, (until.getTime() - since.getTime()) / 1000);
    for (const row of rows) {
      const sum = sums.get(nameOf(row)) ?? { ...row, requests: 0, writes: 0, computedMs: 0, attempts: 0 };
      for (const figure of figures) sum[figure] += row[figure] / seconds;
      sums.set(nameOf(row), sum);
    }
  }
  return [...sums.values()].sort((one, other) => costOf(other) - costOf(one)).slice(0, ROWS);
};

const rounded = (rates: Used): Used =>
  Object.fromEntries(figures.map((figure) => [figure, Math.round(rates[figure] * 10) / 10])) as Used;

const readFrame = async ({ administration, store }: Context): Promise<Frame> => {
  const [usages, waiting] = await Promise.all([administration.usages(), administration.mostWaiting(ROWS)]);
  const organizations = summed(usages, ({ organizationId }) => organizationId);
  const users = summed(usages, ({ organizationId, user }) => `${organizationId} ${user}`);
  return {
    time: clock.now().toISOString(),
    organizations: await Promise.all(
      organizations.map(async ({ organizationId, user: _user, ...rates }) => {
        const name = await store.organization(organizationId).organizationName();
        return { organizationId, ...(name !== '' && { name }), ...rounded(rates) };
      }),
    ),
    users: users.map(({ organizationId, user, ...rates }) => ({ organizationId, user, ...rounded(rates) })),
    receivers: await Promise.all(
      waiting.map(async (row) => {
        const found = await administration.overview.findSubscription(row.subscriptionId);
        return { ...row, ...(found && { organizationId: found.organizationId, receiver: found.receiver }) };
      }),
    ),
  };
};

/** Aligns the columns of a table: text to the left, numbers to the right. */
const tableOf = (head: readonly string[], rows: readonly (string | number)[][]): string[] => {
  const cells = [head, ...rows].map((row) => row.map((cell) => shown(String(cell))));
  const widths = head.map((_cell, index) => Math.max(...cells.map((row) => row[index]?.length ?? 0)));
  return cells.map((row) =>
    row
      .map((cell, index) => {
        const isNumber = rows.length > 0 && typeof rows[0]?.[index] === 'number';
        return isNumber ? cell.padStart(widths[index] ?? 0) : cell.padEnd(widths[index] ?? 0);
      })
      .join('  ')
      .trimEnd(),
  );
};

const RATES = ['requests/s', 'writes/s', 'computing ms/s', 'attempts/s'];
const ratesOf = (rates: Used): number[] => figures.map((figure) => rates[figure]);

const linesOf = ({ time, organizations, users, receivers }: Frame): string[] => [
  time,
  '',
  ...tableOf(
    ['organization', 'name', ...RATES],
    organizations.map(({ organizationId, name = '', ...rates }) => [
      organizationId || 'others',
      name,
      ...ratesOf(rates),
    ]),
  ),
  '',
  ...tableOf(
    ['key, operator or subscription', 'organization', ...RATES],
    users.map(({ organizationId, user, ...rates }) => [user, organizationId, ...ratesOf(rates)]),
  ),
  '',
  ...tableOf(
    ['waiting', 'oldest', 'receiver', 'subscription', 'organization'],
    receivers.map(({ waiting, oldestTime, receiver = 'deleted', subscriptionId, organizationId = '' }) => [
      waiting,
      oldestTime,
      receiver,
      subscriptionId,
      organizationId,
    ]),
  ),
];

export const addTopCommand = (program: Command): void => {
  const top = program
    .command('top')
    .description('show who uses the service most: organizations, keys, receivers')
    .option('--once', 'show one frame')
    .addHelpText('after', NOTES);
  runs(top, async (context, { once = false, json = false }: { once?: boolean; json?: boolean }) => {
    const outputOf = (frame: Frame): Output => ({ result: frame, lines: linesOf(frame) });
    if (once || json || !isOnTerminal()) return outputOf(await readFrame(context));
    const signal = interruption();
    while (!signal.aborted) {
      sayAfresh(linesOf(await readFrame(context)).join('\n'));
      await sleep(INTERVAL_MS, undefined, { signal }).catch(() => {});
    }
    return undefined;
  });
};
