import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';

export const USAGE = `npm run chaos                      1,000 kills, about half an hour
npm run chaos -- --kills 15        a short run, about a minute
npm run chaos -- --seed 6          the same faults and writes again; their timing is the machine's
npm run chaos -- --minutes 10      no fault begins later; the end takes two minutes more at most
npm run chaos -- --help            this text

Kills and pauses api, dispatchers, Redis and MongoDB while records are written and receivers misbehave, then checks
that every event that was promised was attempted once, or says why not. Exits with 1 and every violation if not.
The engines are its own; MONGODB_URL and REDIS_URL are not used.`;

export type Options = { seed: number; kills: number; minutes: number };

/** What is wrong with the command line, in words. */
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
 * @returns undefined when help was asked for
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
