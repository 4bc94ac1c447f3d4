import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';

export const USAGE = `npm run chaos                      1,000 kills, about half an hour
npm run chaos -- --kills 15        a short run, about a minute
npm run chaos -- --seed 6          repeats the faults and writes of seed 6; their timing differs
npm run chaos -- --minutes 10      begins no fault after 10 minutes; the end takes up to two more
npm run chaos -- --help            this text

Kills and pauses api, dispatchers, Redis, MongoDB and the mail server while records are written and receivers misbehave. Then checks
that every event of a successful write was attempted once, or that its delivery has a valid reason. Exits with 1 and
prints the violations if there are any. Starts its own MongoDB and Redis, and ignores MONGODB_URL and REDIS_URL.`;

export type Options = { seed: number; kills: number; minutes: number };

/** An error in the command line. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

const MAX_SEED = 2 ** 32;

const numberIn = (name: string, text: string, low: number, high: number, isWhole = true): number => {
  const value = Number(text);
  const isNumber = /^\d+(\.\d+)?$/.test(text) && (!isWhole || Number.isInteger(value));
  if (isNumber && value >= low && value <= high) return value;
  throw new UsageError(
    `--${name} must be a ${isWhole ? 'whole ' : ''}number from ${low} to ${high}, not "${text}".`,
  );
};

/**
 * @returns undefined for `--help`
 * @throws {UsageError}
 */
export const readOptions = (args: readonly string[]): Options | undefined => {
  const parse = () => {
    try {
      return parseArgs({
        args: [...args],
        options: {
          seed: { type: 'string' },
          kills: { type: 'string', default: '1000' },
          minutes: { type: 'string', default: '60' },
          help: { type: 'boolean', short: 'h' },
        },
      }).values;
    } catch (error) {
      throw new UsageError((error as Error).message);
    }
  };
  const { seed, kills, minutes, help } = parse();
  if (help) return undefined;
  return {
    seed: seed === undefined ? randomInt(1_000_000) : numberIn('seed', seed, 0, MAX_SEED),
    kills: numberIn('kills', kills, 1, 100_000),
    minutes: numberIn('minutes', minutes, 0.1, 10_000, false),
  };
};
