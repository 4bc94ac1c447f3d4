import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROWS_OF_ORGANIZATION, ROWS_OF_PRINCIPAL, scopes } from '@chairside/domain';
import { createKey } from '@chairside/test-support';
import type { Service } from '../service.ts';
import { quantile, spread } from '../statistics.ts';
import { chairside } from './command.ts';

/** Rows of each file. They fill two windows of the limit of a key and begin a third. */
const ROWS = 2.5 * ROWS_OF_PRINCIPAL;
/**
 * Number of concurrent commands, as many as the limit of the organization has place for. Each has its own key and clinic, so
 * that more windows are measured in the same time.
 */
const COMMANDS = ROWS_OF_ORGANIZATION / ROWS_OF_PRINCIPAL;
const WINDOW = 60_000;
/** A pause between two records that is longer than this is a wait for the next window. */
const WAIT_MS = 5000;

/** For each full window: the share of the limit that was used until the next window began. */
const sharesOf = (times: readonly number[]): number[] => {
  const starts = times.flatMap((time, index) =>
    index === 0 || time - (times[index - 1] ?? 0) > WAIT_MS ? [index] : [],
  );
  return starts.slice(1).map((end, window) => {
    const begin = starts[window] ?? 0;
    const allowed = (ROWS_OF_PRINCIPAL * ((times[end] ?? 0) - (times[begin] ?? 0))) / WINDOW;
    return (end - begin) / allowed;
  });
};

/** The batches that the api refused with 429 because of the limit of rows of a key. */
const refusals = async (metricsUrl: string): Promise<number> => {
  const text = await (await fetch(metricsUrl)).text();
  return [...text.matchAll(/^chairside_api_refusals_total\{.*rows_of_key.*\} (\d+)$/gm)].reduce(
    (sum, [, count]) => sum + Number(count),
    0,
  );
};

const createAll = async (service: Service, url: string, folder: string, index: number) => {
  const { clinicId } = await service.createClinic([]);
  const key = { name: `bench ${index}`, scopes: [...scopes], rateLimit: 1000 };
  const { secret } = await createKey(service.organization, key, new Date());
  const file = join(folder, `people-${index}.csv`);
  const lines = Array.from({ length: ROWS }, (_, row) => `${clinicId},Bench ${row}`);
  writeFileSync(file, `clinicId,name\n${lines.join('\n')}\n`);
  const environment = { CHAIRSIDE_URL: url, CHAIRSIDE_API_KEY: secret };
  const { milliseconds, stderr, peak } = await chairside(['patients', 'create', '--from', file], environment);
  if (!stderr.includes(`${ROWS} of ${ROWS} rows are created, 0 refused, 0 left.`)) throw new Error(stderr);
  const made = service.database.collection('patients').find({ clinicId });
  const times = (await made.toArray()).map(({ lastEditTime }) => new Date(lastEditTime).getTime());
  if (times.length !== ROWS) throw new Error(`${times.length} patients exist`);
  return { shares: sharesOf(times.sort((a, b) => a - b)), seconds: milliseconds / 1000, peak };
};

/** Creates patients from files at the limit of rows of the keys. Returns a sentence. */
export const measureCreations = async (
  service: Service,
  url: string,
  metricsUrl: string,
  folder: string,
): Promise<string> => {
  const results = await Promise.all(
    Array.from({ length: COMMANDS }, (_, index) => createAll(service, url, folder, index)),
  );
  const shares = results.flatMap((result) => result.shares);
  const seconds = results.map((result) => result.seconds);
  return [
    `${COMMANDS} commands at the same time, each with a file of ${ROWS.toLocaleString('en')} rows and a key of ${ROWS_OF_PRINCIPAL.toLocaleString('en')} rows per minute, took`,
    `${spread(seconds)} s. The share of the limit that a command used in a full window, until the next one began, was ${spread(shares, 3)}`,
    `in ${shares.length} windows; the goal is 0.95. The api refused ${await refusals(metricsUrl)} batches with 429, and no command reported one. The`,
    `highest resident memory of a command was ${quantile(
      results.map(({ peak }) => peak),
      1,
    ).toFixed(0)} MiB.`,
  ].join('\n');
};
