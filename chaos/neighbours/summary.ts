import { availableParallelism, cpus } from 'node:os';
import { type Findings, mostOf, type Probe, WEBHOOK } from './matrix.ts';

const mebibytes = (bytes: number): number => Math.round(bytes / 2 ** 20);
const at = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;

/** The probes of a cell: for a cell of the dispatcher, the webhooks, otherwise the calls. */
const probesOf = (probes: readonly Probe[], cell: string): Probe[] =>
  probes.filter(
    (probe) => probe.cell === cell && (probe.door === WEBHOOK) === cell.startsWith('dispatcher: '),
  );

const timesOf = (probes: readonly Probe[], cell: string): number[] =>
  probesOf(probes, cell)
    .map(({ ms }) => ms)
    .toSorted((one, other) => one - other);

/** The name of a server in the measurements. The authorization server runs in the process of the dashboard. */
const processOf = (cell: string): string =>
  cell.replace(/:.*/, '').replace('authorization server', 'dashboard');

/** The row of a cell: the statuses that the greedy organization got, and the neighbour's failures and delays. */
const rowOf = (cell: string, { probes: all, greedy, measured }: Findings): string => {
  const counts = greedy[cell];
  const probes = probesOf(all, cell);
  const times = timesOf(all, cell);
  const control = at(timesOf(all, cell.replace(/:.*/, ': cheap requests')), 0.95);
  const ratio = control === 0 ? '' : (at(times, 0.95) / control).toFixed(1);
  const used = measured[cell]?.[processOf(cell)];
  const failed = probes.filter(({ status }) => typeof status !== 'number' || status >= 400).length;
  const statuses = Object.entries(counts ?? {})
    .toSorted()
    .map(([status, number]) => `${number} ${status === 'sent' ? 'sent' : `× ${status}`}`)
    .join(', ');
  return `| ${cell} | ${statuses} | ${probes.length} | ${failed} | ${at(times, 0.5)} | ${at(times, 0.95)} | ${ratio} | ${times.at(-1) ?? 0} | ${used?.lagMs.toFixed(0) ?? '–'} | ${used === undefined ? '–' : mebibytes(used.heap)} |`;
};

/** The neighbour's calls by door: how many, and how long they took. */
const doorRows = (probes: readonly Probe[]): string[] =>
  [...Map.groupBy(probes, ({ door }) => door.replace(/[0-9a-f-]{20,}|[0-9A-Z]{26}/g, '…'))].map(
    ([door, own]) => {
      const times = own.map(({ ms }) => ms).toSorted((one, other) => one - other);
      return `| ${door} | ${own.length} | ${at(times, 0.5)} | ${at(times, 0.95)} | ${times.at(-1) ?? 0} |`;
    },
  );

/** The page with the findings: what each cell of the matrix did to the neighbour, and the memory of each server. */
export const summaryOf = (findings: Findings): string => {
  const { probes, greedy } = findings;
  const cells = new Set([...Object.keys(greedy), ...probes.map(({ cell }) => cell)]);
  const rows = [...cells].map((cell) => rowOf(cell, findings));
  const largest = Object.entries(mostOf(findings)).map(
    ([name, { heap, resident }]) => `${name} ${mebibytes(heap)} (${mebibytes(resident)} resident)`,
  );
  return [
    '# One organization and its neighbour',
    '',
    '- Command: `NEIGHBOURS_RESULTS=chaos/neighbours/results.md npm run check:release -- --only chaos`',
    `- Machine: ${availableParallelism()} cores of ${cpus()[0]?.model.trim()}; everything runs on it: engines, services and both organizations`,
    '- The neighbour calls 14 routes of all servers every two seconds. Its delays are those of a machine on which everything waits for the cores.',
    '- In the rows of the dispatcher, the neighbour creates a record every 250 ms, and the delay is that from the response to the webhook.',
    '- One run, so the tables show no spread. TimeoutError: the request was in flight when its cell ended.',
    '- *To cheap*: 95 % of the calls of the neighbour beside this, divided by the same beside as many cheap requests to the same server.',
    '  *Event loop* and *heap*: the largest delay and heap of that server. Largest reads are those of two organizations.',
    '',
    '| What the organization does | Its responses | Calls of the neighbour | Failed | Median ms | 95 % ms | To cheap | Longest ms | Event loop ms | Heap MiB |',
    '| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |',
    ...rows,
    '',
    '| Calls of the neighbour | Number | Median ms | 95 % ms | Longest ms |',
    '| --- | ---: | ---: | ---: | ---: |',
    ...doorRows(probes),
    '',
    `Largest heaps in MiB: ${largest.join(', ')}.`,
    '',
  ].join('\n');
};
