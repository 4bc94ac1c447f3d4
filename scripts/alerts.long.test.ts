import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { findPrometheus } from '../packages/local-services/src/index.ts';
import { run } from '../packages/processes/src/index.ts';

type Series = { series: string; values: string };
type Sample = { labels: string; value: number };
type Check = { expr: string; eval_time: string; exp_samples: Sample[] };
type Group = { name: string; interval: string; input_series: Series[]; promql_expr_test: Check[] };

const folder = fileURLToPath(new URL('../deploy/prometheus/', import.meta.url));
const rules: { alert: string; expr: string }[] = parse(
  readFileSync(join(folder, 'alerts.yaml'), 'utf8'),
).groups.flatMap((group: any) => group.rules);
const file: { evaluation_interval: string; tests: Group[] } = parse(
  readFileSync(join(folder, 'alerts.test.yaml'), 'utf8'),
);
const [healthy, ...groups] = file.tests as [Group, ...Group[]];

/** When the states of the tests are cured, and when their alerts must have ended, in seconds. */
const [CURED, ENDED] = [30 * 60, 30 * 60 + 90];
const secondsIn = (time: string): number => {
  const [, hours = '0', minutes = '0', seconds = '0'] =
    /^(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?$/.exec(time) ?? [];
  return (Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds);
};
/** Whether an alert is about a state: it looks back for at most a minute. */
const isState = ({ expr }: { expr: string }): boolean =>
  [...expr.matchAll(/\[(\w+)\]/g)].every(([, range = '']) => secondsIn(range) <= 60);
const firing = (alert: string): string => `count(ALERTS{alertname="${alert}",alertstate="firing"})`;

describe.each(rules)('$alert', (rule) => {
  const own = groups.filter(({ name }) => name.split(' ')[0] === rule.alert);

  it('has a test in alerts.test.yaml in which it fires, and ends with the cure', () => {
    expect(own.length).toBeGreaterThan(0);
    for (const { name, promql_expr_test: checks } of own) {
      expect({ name, exprs: checks.map(({ expr }) => expr) }).toEqual({
        name,
        exprs: [firing(rule.alert), firing(rule.alert)],
      });
      expect(checks.map(({ exp_samples }) => exp_samples)).toEqual([[{ labels: '{}', value: 1 }], []]);
      const [fires = 0, ends = 0] = checks.map(({ eval_time }) => secondsIn(eval_time));
      expect(ends).toBeGreaterThan(fires);
      if (isState(rule))
        expect({ name, inTime: fires < CURED && ends <= ENDED }).toEqual({ name, inTime: true });
    }
  });
});

test('each test of alerts.test.yaml is named after an alert', () => {
  const names = rules.map(({ alert }) => alert);
  expect(groups.map(({ name }) => name.split(' ')[0]).filter((name = '') => !names.includes(name))).toEqual(
    [],
  );
});

let binary: string;
let temporary: string;
beforeAll(async () => {
  ({ binary } = await findPrometheus('promtool'));
  temporary = mkdtempSync(join(tmpdir(), 'alerts-'));
});
afterAll(() => rmSync(temporary, { recursive: true, force: true }));

/** @throws {Error} with everything that promtool says, if it finds a fault */
const promtool = async (...args: string[]): Promise<void> => {
  const said: string[] = [];
  const options = { signal: new AbortController().signal, onLine: (line: string) => said.push(line) };
  await run(binary, args, options).catch((cause: unknown) => {
    throw new Error(said.filter((line) => line.trim() !== '').join('\n'), { cause });
  });
};

test('promtool accepts the rules, and each alert fires and ends as alerts.test.yaml says', async () => {
  await promtool('check', 'rules', join(folder, 'alerts.yaml'));
  await promtool('test', 'rules', join(folder, 'alerts.test.yaml'));
});

test('the trouble of one alert fires no other alert of a service that is healthy otherwise', async () => {
  const beside = groups.map((group) => {
    const [alert] = group.name.split(' ');
    const troubled = new Set(group.input_series.map(({ series }) => series));
    return {
      ...group,
      input_series: [
        ...healthy.input_series.filter(({ series }) => !troubled.has(series)),
        ...group.input_series,
      ],
      promql_expr_test: [
        ...group.promql_expr_test.map(({ eval_time, exp_samples }) => ({
          eval_time,
          expr: 'count by (alertname) (ALERTS{alertstate="firing"})',
          exp_samples: exp_samples.map(({ value }) => ({ labels: `{alertname="${alert}"}`, value })),
        })),
        // At the end of the trouble, every rule has had its time.
        {
          eval_time: `${CURED - 30}s`,
          expr: `count by (alertname) (ALERTS{alertstate="firing",alertname!="${alert}"})`,
          exp_samples: [],
        },
      ],
    };
  });
  const tests = join(temporary, 'beside.yaml');
  writeFileSync(
    tests,
    stringify({ ...file, rule_files: [join(folder, 'alerts.yaml')], tests: [healthy, ...beside] }),
  );
  await promtool('test', 'rules', tests);
});
