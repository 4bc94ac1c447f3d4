// Measures the CPU time of the arithmetic over a schedule: free slots of 31 days among 5,000 appointments, and counts
// of 92 days. Then it measures searches with the store, among 100,000 appointments. Usage: pnpm --filter @chairside/bench schedule [--write "what else ran"]
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type BusyInterval, BusyTimes, type OpeningHours, readOpeningHours } from '@chairside/domain';
import { countByDay, findSlots } from '@chairside/schedule';
import { machine, optionOf, today } from '../report.ts';
import { quantile } from '../statistics.ts';
import { largeSearches, APPOINTMENTS as MANY, PROVIDERS } from './large.ts';

const APPOINTMENTS = 5000;
const ROUNDS = 200;
/** The goal for a search for free slots, in milliseconds of CPU time. */
const GOAL_MS = 20;
const MINUTE = 60_000;
const DAY = 1440 * MINUTE;

/** The beginning of the period, which contains a change of the clocks. */
const FROM = Date.parse('2026-03-10T00:00:00Z');
const dateAfter = (days: number): string => new Date(FROM + days * DAY).toISOString().slice(0, 10);

const hoursOf = (slotMinutes: number): OpeningHours => {
  const day = [
    { opens: '07:00', closes: '12:30' },
    { opens: '13:00', closes: '20:00' },
  ];
  const names = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
  const read = readOpeningHours({
    weekdays: Object.fromEntries(names.map((name) => [name, day])),
    chairs: 8,
    slotMinutes,
  });
  if ('issues' in read) throw new Error(JSON.stringify(read.issues));
  return read.hours;
};

/** Appointments of 15 to 90 minutes that fill the given days, in no particular order. */
const appointmentsIn = (days: number): BusyInterval[] =>
  Array.from({ length: APPOINTMENTS }, (_, index) => {
    const start = FROM + ((index * 7919) % (days * 1440)) * MINUTE;
    const endTime = new Date(start + (15 + ((index * 13) % 6) * 15) * MINUTE);
    return {
      clinicId: 'here',
      ...(index % 2 === 0 && { providerId: `provider-${index % 50}` }),
      startTime: new Date(start),
      // Every twentieth appointment has no end.
      ...(index % 20 > 0 && { endTime }),
      status: index % 10 === 0 ? 'CANCELED' : 'SCHEDULED',
    };
  });

const blocks = Array.from({ length: 50 }, (_, index) => ({
  clinicId: 'here',
  ...(index % 2 === 0 && { providerId: 'ada' }),
  startTime: new Date(FROM + index * 15 * 60 * MINUTE).toISOString(),
  endTime: new Date(FROM + index * 15 * 60 * MINUTE + 45 * MINUTE).toISOString(),
}));

/** Returns the CPU time of the work in all threads of the process, including garbage collection, in milliseconds. */
const cpuOf = (work: () => unknown): number => {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
};

const slots = (slotMinutes: number) => {
  const hours = hoursOf(slotMinutes);
  const appointments = appointmentsIn(31);
  const search = {
    clinicId: 'here',
    from: dateAfter(0),
    to: dateAfter(30),
    durationMinutes: 30,
    providerId: 'ada',
  };
  return () => {
    const place = { timezone: 'Europe/Zurich', hours };
    const busy = new BusyTimes(search);
    for (const each of appointments) busy.add(each);
    const found = findSlots(search, place, { blocks, busy }, new Date(FROM));
    return found.outcome === 'found' ? found.slots.length : 0;
  };
};
const counts = () => {
  const appointments = appointmentsIn(92);
  const range = { from: dateAfter(0), to: dateAfter(91) };
  return () => countByDay('Europe/Zurich', range, appointments).reduce((sum, { total }) => sum + total, 0);
};

const rows: string[] = [];
for (const [name, work] of [
  ['free slots of 31 days, each 15 minutes', slots(15)],
  ['free slots of 31 days, each 5 minutes', slots(5)],
  ['counts of 92 days', counts()],
] as const) {
  const found = work();
  const first = cpuOf(work);
  const times = Array.from({ length: ROUNDS }, () => cpuOf(work));
  const [median, high, worst] = [0.5, 0.9, 1].map((part) => quantile(times, part).toFixed(1));
  rows.push(
    `| ${name} | ${found.toLocaleString('en')} | ${first.toFixed(1)} | ${median} | ${high} | ${worst} |`,
  );
}
const table = [
  '| | found | second call, ms | median, ms | 90th percentile, ms | highest, ms |',
  '|---|---|---|---|---|---|',
  ...rows,
].join('\n');
console.log(table);
const large = await largeSearches();
console.log(large);

const remark = optionOf('--write');
if (remark !== undefined) {
  const text = `# The arithmetic of a schedule

- Command: \`pnpm --filter @chairside/bench schedule\`
- Date: ${today()}
- Machine: ${machine()}, ${process.platform}; ${remark}
- Node ${process.versions.node}
- ${APPOINTMENTS.toLocaleString('en')} appointments, 8 chairs, 50 calendar blocks, Europe/Zurich, a change of the clocks in the range;
  ${ROUNDS} calls in one process. Milliseconds of CPU of all threads, without the store. The goal for free slots is ${GOAL_MS} ms.

${table}

## With the store

A search of 31 days among ${MANY.toLocaleString('en')} appointments of ${PROVIDERS} providers at one clinic, the most that one search may read. It is compared with
reading the times of the same appointments, with the same store. Memory is the largest of the process so far. The goal is twice the time
of reading. The database is FerretDB on the same machine.

${large}
`;
  writeFileSync(join(import.meta.dirname, 'results.md'), text);
}
