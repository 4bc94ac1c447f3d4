import { availableParallelism, cpus } from 'node:os';
import type { Findings, Probe } from './matrix.ts';

const at = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;

/** The row of a cell: the statuses that the greedy organization got, and the neighbour's failures and delays. */
const rowOf = (
  cell: string,
  probes: readonly Probe[],
  counts: Record<string, number> | undefined,
): string => {
  const times = probes.map(({ ms }) => ms).toSorted((one, other) => one - other);
  const failed = probes.filter(({ status }) => typeof status !== 'number' || status >= 400).length;
  const statuses = Object.entries(counts ?? {})
    .toSorted()
    .map(([status, number]) => `${number} ${status === 'sent' ? 'sent' : `× ${status}`}`)
    .join(', ');
  return `| ${cell} | ${statuses} | ${probes.length} | ${failed} | ${at(times, 0.5)} | ${at(times, 0.95)} | ${times.at(-1) ?? 0} |`;
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
export const summaryOf = ({ probes, greedy, memory }: Findings): string => {
  const cells = new Set([...Object.keys(greedy), ...probes.map(({ cell }) => cell)]);
  const rows = [...cells].map((cell) =>
    rowOf(
      cell,
      probes.filter((probe) => probe.cell === cell),
      greedy[cell],
    ),
  );
  const mebibytes = (bytes: number): number => Math.round(bytes / 2 ** 20);
  const largest = Object.entries(memory).map(
    ([name, { heap, resident }]) => `${name} ${mebibytes(heap)} (${mebibytes(resident)} resident)`,
  );
  return [
    '# One organization and its neighbour',
    '',
    '- Command: `NEIGHBOURS_RESULTS=chaos/neighbours/results.md npm run check:release -- chaos/neighbours`',
    `- Machine: ${availableParallelism()} cores of ${cpus()[0]?.model.trim()}; everything runs on it: engines, services and both organizations`,
    '- The neighbour calls 14 routes of all servers once a second. Its delays are those of a machine on which everything waits for the cores.',
    '- One run, so the tables show no spread. TimeoutError: the request was in flight when its cell ended.',
    '',
    '| What the organization does | Its responses | Calls of the neighbour | Failed | Median ms | 95 % ms | Longest ms |',
    '| --- | --- | ---: | ---: | ---: | ---: | ---: |',
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
