import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { startChairside } from './contestants.ts';
import { type Counts, startCountingProxy } from './counting-proxy.ts';
import type { Ground } from './ground.ts';
import { type Part, table } from './part.ts';
import { type Turn, takeTurn } from './turn.ts';

/** The events per second, and the duration in seconds. */
const RATE = 2;
const SECONDS = 60;
/** How much longer a window is than the load, so that it includes the delivery of the last event. */
const REST_MS = 2000;
/** The time in which the processes finish the work after their start. */
const SETTLE_MS = 5000;

/** Counts the commands that Redis runs: sent commands, and commands inside scripts. */
const watchRedis = async (
  { running }: Ground,
  url: string,
): Promise<() => { sent: Counts; scripted: Counts }> => {
  const redis = new Redis(url);
  running.defer(() => redis.disconnect());
  const monitor = await redis.monitor();
  running.defer(() => monitor.disconnect());
  const sent: Record<string, number> = {};
  const scripted: Record<string, number> = {};
  monitor.on('monitor', (_time: string, [name = '']: string[], source: string) => {
    const counts = source === 'lua' ? scripted : sent;
    const command = name.toLowerCase();
    counts[command] = (counts[command] ?? 0) + 1;
  });
  return () => ({ sent: { ...sent }, scripted: { ...scripted } });
};

const minus = (one: Counts, other: Counts): Counts =>
  Object.fromEntries(
    Object.keys({ ...other, ...one }).map((name) => [name, (one[name] ?? 0) - (other[name] ?? 0)]),
  );
const total = (counts: Counts): number => Object.values(counts).reduce((sum, count) => sum + count, 0);

/** The counts for one event or second, the most frequent first. Rare commands are left out. */
const namesOf = (counts: Counts, divisor: number): string =>
  Object.entries(counts)
    .map(([name, count]) => ({ name, each: count / divisor }))
    .filter(({ each }) => Math.abs(each) >= 0.05)
    .sort((one, other) => other.each - one.each)
    .map(({ name, each }) => `${name} ${each.toFixed(1)}`)
    .join(', ');

/** The commands of each event: the commands of a minute with two events per second, minus those of an idle minute. */
export const measureCommands = async (ground: Ground): Promise<Part> => {
  const proxy = await startCountingProxy(ground);
  const chairside = await startChairside(ground, { MONGODB_URL: proxy.url });
  const redisCounts = await watchRedis(ground, ground.engines.redis.url);
  const seconds = ground.isQuick ? 5 : SECONDS;
  const countsNow = async (): Promise<Counts[]> => {
    const { sent, scripted } = redisCounts();
    return [await proxy.counts(), sent, scripted];
  };
  /** Counts the commands during the load, or during an idle time of the same length. */
  const countDuring = async (work?: () => Promise<void>) => {
    const before = await countsNow();
    await Promise.all([work?.(), sleep(seconds * 1000 + REST_MS)]);
    const after = await countsNow();
    return after.map((counts, index) => minus(counts, before[index] ?? {}));
  };

  await takeTurn(ground, chairside, 1, { connections: 1, pace: { calls: RATE } });
  await sleep(SETTLE_MS);
  const idle = await countDuring();
  const turns: Turn[] = [];
  const busy = await countDuring(async () => {
    turns.push(await takeTurn(ground, chairside, 1, { connections: 1, pace: { rate: RATE, seconds } }));
  });
  await chairside.stop();

  const events = turns[0]?.events ?? Number.NaN;
  const rows = ['MongoDB', 'Redis', 'Redis, inside scripts'].map((engine, index) => {
    const idleCounts = idle[index] ?? {};
    const own = minus(busy[index] ?? {}, idleCounts);
    const idleSeconds = seconds + REST_MS / 1000;
    return [
      engine,
      (total(own) / events).toFixed(1),
      namesOf(own, events),
      (total(idleCounts) / idleSeconds).toFixed(1),
      namesOf(idleCounts, idleSeconds),
    ];
  });
  for (const row of rows) console.log(row.join('; '));
  const text = `## Commands for each event

One subscription, ${RATE} events per second for ${seconds} s, minus the commands of an idle time of the same length. MongoDB: messages
that a proxy in front of it counted. Redis: commands that \`MONITOR\` shows.

${table(['engine', 'for each event', 'by name', 'per second when idle', 'by name'], rows)}
`;
  return { text, turns: new Map([[`Chairside, ${RATE} per second`, turns]]) };
};
