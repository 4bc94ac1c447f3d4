import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findPrometheus } from '@chairside/local-services';
import { freePort, killAtExit } from '@chairside/processes';
import { LONGEST_WAIT_MS } from '@chairside/test-support';
import { expect, vi } from 'vitest';

const RULES = fileURLToPath(new URL('../../../deploy/prometheus/alerts.yaml', import.meta.url));
/** How many times faster than in production the rules look: a period of a minute is one of six seconds. */
const FASTER = 10;

/** The alert rules with shorter periods. The thresholds stay the same. */
const fasterRules = async (): Promise<string> =>
  (await readFile(RULES, 'utf8')).replace(
    /(for: |\[)(\d+)([mh])/g,
    (_all, before, count, unit) => `${before}${(Number(count) * (unit === 'h' ? 3600 : 60)) / FASTER}s`,
  );

/** A Prometheus that scrapes and evaluates the alert rules each second. */
export type Prometheus = {
  /** Replaces what is scraped. @param urls addresses of metrics */
  scrape(urls: readonly string[]): Promise<void>;
  /** The names of the alerts that fire now. */
  firing(): Promise<string[]>;
  /**
   * The names of the alerts that began to fire in a period.
   *
   * @param from the beginning, in seconds since 1970
   * @param to its end, in seconds since 1970
   */
  began(from: number, to: number): Promise<string[]>;
  /** Resolves when each rule has been evaluated this often from now on. */
  evaluated(times: number): Promise<void>;
  stop(): Promise<void>;
};

type Series = { metric: Record<string, string>; values: [time: number, value: string][] };

const STEP_S = 1;
const ALERTS = 'max by (alertname) (ALERTS{alertstate="firing"})';

/** The name of the alert, if it fired in the period and not just before it. */
const beginningIn = ({ metric, values }: Series, from: number): string[] =>
  values.some(
    ([time], index) => time >= from && time - (values[index - 1]?.[0] ?? Number.NEGATIVE_INFINITY) > STEP_S,
  )
    ? [metric.alertname as string]
    : [];

/** @param urls addresses of metrics, which exist: otherwise the alerts for absent metrics begin */
export const startPrometheus = async (urls: readonly string[]): Promise<Prometheus> => {
  const { binary } = await findPrometheus('prometheus');
  const folder = await mkdtemp(join(tmpdir(), 'prometheus-'));
  const at = (name: string): string => join(folder, name);
  await mkdir(at('targets'));
  await writeFile(at('alerts.yaml'), await fasterRules());
  // JSON is YAML.
  const config = {
    global: {
      scrape_interval: `${STEP_S}s`,
      scrape_timeout: `${STEP_S}s`,
      evaluation_interval: `${STEP_S}s`,
    },
    rule_files: ['alerts.yaml'],
    scrape_configs: [{ job_name: 'chairside', file_sd_configs: [{ files: ['targets/*.json'] }] }],
  };
  await writeFile(at('prometheus.yml'), JSON.stringify(config));
  const scrape: Prometheus['scrape'] = async (scraped) => {
    const targets = scraped.map((url) => new URL(url).host);
    // Prometheus must not read a part of the file.
    await writeFile(at('next'), JSON.stringify([{ targets }]));
    await rename(at('next'), at('targets/all.json'));
  };
  await scrape(urls);
  const address = `127.0.0.1:${await freePort()}`;
  const server = killAtExit(
    spawn(
      binary,
      [
        `--config.file=${at('prometheus.yml')}`,
        `--storage.tsdb.path=${at('data')}`,
        `--web.listen-address=${address}`,
        '--log.level=error',
      ],
      { stdio: ['ignore', 'ignore', 'inherit'] },
    ),
  );
  const get = async (path: string, query: Record<string, string> = {}) => {
    const response = await fetch(`http://${address}${path}?${new URLSearchParams(query)}`);
    if (!response.ok)
      throw new Error(`Prometheus responded with ${response.status}: ${await response.text()}`);
    return response;
  };
  await vi.waitFor(() => get('/-/ready'), { timeout: LONGEST_WAIT_MS });
  const query = async (path: string, given: Record<string, string>) => {
    const { data } = (await (await get(`/api/v1/${path}`, given)).json()) as { data: { result: any[] } };
    return data.result;
  };
  const evaluations = async (): Promise<number> => {
    const text = await (await get('/metrics')).text();
    const counts = [...text.matchAll(/^prometheus_rule_group_iterations_total\{.*\} (\d+)$/gm)];
    return Math.min(...counts.map(([, count]) => Number(count)));
  };
  return {
    scrape,
    firing: async () =>
      (await query('query', { query: ALERTS }))
        .map(({ metric }: Series) => metric.alertname as string)
        .sort(),
    async began(from, to) {
      const range = { query: ALERTS, start: String(from - STEP_S), end: String(to), step: String(STEP_S) };
      const all: Series[] = await query('query_range', range);
      return all.flatMap((series) => beginningIn(series, from)).sort();
    },
    async evaluated(times) {
      const end = (await evaluations()) + times;
      await expect.poll(evaluations).toBeGreaterThanOrEqual(end);
    },
    async stop() {
      const ended = once(server, 'exit');
      server.kill('SIGTERM');
      await ended;
      await rm(folder, { recursive: true });
    },
  };
};
