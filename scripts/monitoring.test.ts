import { readdirSync, readFileSync } from 'node:fs';
import { parser } from '@prometheus-io/lezer-promql';
import { describe, expect, it, test } from 'vitest';
import { parseDocument } from 'yaml';
import { createMetrics as createApiMetrics } from '../apps/api/src/monitoring/metrics.ts';
import { createMetrics as createDashboardMetrics } from '../apps/dashboard/server/src/metrics.ts';
import { createMetrics as createConnectorMetrics } from '../apps/mcp/src/metrics.ts';
import { createMetrics as createDispatcherMetrics } from '../apps/webhook-dispatcher/src/monitoring/metrics.ts';

const read = (path: string): string => readFileSync(new URL(`../deploy/${path}`, import.meta.url), 'utf8');
const dashboards = readdirSync(new URL('../deploy/grafana', import.meta.url));

const alerts = (): any[] => {
  const document = parseDocument(read('prometheus/alerts.yaml'));
  expect([...document.errors, ...document.warnings]).toEqual([]);
  return document.toJS().groups.flatMap(({ rules }: any) => rules);
};
const targetsOf = (dashboard: string): any[] =>
  JSON.parse(read(`grafana/${dashboard}`)).panels.flatMap(({ targets }: any) => targets);

/** What a service exposes before anything has happened. */
const started: string[] = [];
/** Each metric that a service exposes, with its type. */
const metricsOf = async ({ expose }: { expose(): Promise<{ text: string }> }) => {
  const { text } = await expose();
  started.push(text);
  return new Map([...text.matchAll(/^# TYPE (\S+) (\w+)$/gm)].map(([, name = '', type]) => [name, type]));
};
const nobody = { waiting: () => 0 };
const keys = { usedShare: () => 0 };
const api = await metricsOf(
  createApiMetrics({ isReady: () => true }, { passwords: nobody, operations: nobody, ciphers: keys }),
);
const dispatcher = await metricsOf(
  createDispatcherMetrics(
    {
      measure: async () => ({
        queued: 0,
        oldestUnsentMs: 0,
        oldestUnpublishedMs: 0,
        disabledSubscriptions: 0,
        slowedSubscriptions: 0,
        queuedMails: 0,
        oldestMailMs: 0,
      }),
    } as Parameters<typeof createDispatcherMetrics>[0],
    keys,
  ),
);

const dashboard = await metricsOf(createDashboardMetrics());
const connector = await metricsOf(createConnectorMetrics());

const typeOf = (name: string): string | undefined => {
  const [, histogram] = /^(.+)_(?:bucket|sum|count)$/.exec(name) ?? [];
  const all = new Map([...api, ...dispatcher, ...dashboard, ...connector]);
  return (
    all.get(name) ?? (histogram !== undefined && all.get(histogram) === 'histogram' ? 'histogram' : undefined)
  );
};
/** A query with values for the variables of Grafana. */
const withValues = (expression: string): string =>
  expression.replaceAll(/\$__(?:rate_interval|interval|range)/g, '5m').replaceAll('$job', 'api');
/** The text of each node of a query with this name. `⚠` is the name of a part that the grammar of Prometheus refuses. */
const nodesIn = (expression: string, wanted: string): string[] => {
  const text = withValues(expression);
  const found: string[] = [];
  parser.parse(text).iterate({
    enter({ name, from, to }) {
      if (name === wanted) found.push(text.slice(from, to));
    },
  });
  return found;
};
type Matcher = { label: string; operator: string; value: string };
/** The selectors of series under `rate` and `increase` of a query. */
const countersIn = (expression: string): { name: string; matchers: Matcher[] }[] =>
  nodesIn(expression, 'MatrixSelector').map((selector) => ({
    name: /^\w+/.exec(selector)?.[0] ?? '',
    matchers: [...selector.matchAll(/(\w+)\s*(=~|!~|!=|=)\s*"([^"]*)"/g)].map(
      ([, label = '', operator = '', value = '']) => ({ label, operator, value }),
    ),
  }));
type Series = { name: string; labels: Record<string, string>; value: string };
const seriesIn = (text: string): Series[] =>
  [...text.matchAll(/^(\w+)(?:\{(.*)\})? (\S+)$/gm)].map(([, name = '', labels = '', value = '']) => ({
    name,
    labels: Object.fromEntries(
      [...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, label, each]) => [label, each]),
    ),
    value,
  }));
const matches = ({ labels }: Series, { label, operator, value }: Matcher): boolean => {
  const own = labels[label] ?? '';
  const isEqual = operator.endsWith('~') ? new RegExp(`^(?:${value})$`).test(own) : own === value;
  return operator.startsWith('!') ? !isEqual : isEqual;
};
/** The values that a matcher asks for: each alternative of a pattern must be the value of a series. */
const alternativesOf = (matcher: Matcher): Matcher[] =>
  matcher.operator === '=~' ? matcher.value.split('|').map((value) => ({ ...matcher, value })) : [matcher];

const namesIn = (expression: string): string[] =>
  nodesIn(expression, 'Identifier').filter((name) => name !== 'time');

const expressions = [
  ...alerts().map(({ alert, expr }) => [alert, expr] as const),
  ...dashboards.flatMap((name) => targetsOf(name).map(({ expr }) => [name, expr] as const)),
];

test.each(expressions)(
  '%s is valid PromQL, names metrics that exist, and uses rates only of counters and histograms: %s',
  (_, expr) => {
    expect(nodesIn(expr, '⚠')).toEqual([]);
    expect(namesIn(expr).length).toBeGreaterThan(0);
    for (const name of namesIn(expr))
      expect({ name, type: typeOf(name) }).toEqual({ name, type: expect.any(String) });
    for (const [, name = ''] of expr.matchAll(/\b(?:rate|increase)\(\s*(\w+)/g))
      expect({ name, type: typeOf(name) }).toEqual({
        name,
        type: expect.stringMatching(/^(counter|histogram)$/),
      });
  },
);

/** A series that appears with its first event has no increase, so the alert would miss that event. */
const counters = alerts().flatMap(({ alert, expr }) =>
  countersIn(expr).map(({ name, matchers }) => [alert, name, matchers] as const),
);
test.each(counters)(
  '%s: %s exists at 0 from the start, with each label that the rule selects',
  (_, name, matchers) => {
    const series = started.flatMap(seriesIn).filter((each) => each.name === name);
    for (const matcher of matchers)
      for (const alternative of alternativesOf(matcher)) {
        const others = matchers.filter((each) => each !== matcher);
        const selected = series.filter((each) => [...others, alternative].every((one) => matches(each, one)));
        expect({ alternative, selected }).toEqual({
          alternative,
          selected: expect.arrayContaining([expect.objectContaining({ value: '0' })]),
        });
      }
    expect(series.length).toBeGreaterThan(0);
    expect(series.filter(({ value }) => value !== '0')).toEqual([]);
  },
);

describe('alerts.yaml', () => {
  it('uses counters in most of its rules', () => expect(counters.length).toBeGreaterThan(20));

  it('has rules with a summary, a description, a severity and a unique name', () => {
    for (const { alert, labels, annotations } of alerts()) {
      expect(alert).toMatch(/^Chairside[A-Z]/);
      expect(['page', 'ticket']).toContain(labels.severity);
      expect(annotations).toEqual({
        runbook_url: expect.any(String),
        summary: expect.any(String),
        description: expect.any(String),
      });
    }
    const names = alerts().map(({ alert }) => alert);
    expect(new Set(names).size).toBe(names.length);
  });

  it('leads from each alert to the row of docs/operation/repair.md that explains it', () => {
    const page = readFileSync(new URL('../docs/operation/repair.md', import.meta.url), 'utf8');
    for (const { alert, annotations } of alerts()) {
      expect(annotations.runbook_url).toBe(
        `https://github.com/chairside/chairside/blob/main/docs/operation/repair.md#${alert}`,
      );
      const rows = page.split('\n').filter((line) => line.includes(`<a id="${alert}"></a>`));
      expect({ alert, rows }).toEqual({
        alert,
        rows: [expect.stringMatching(new RegExp(`^\\| .*\`${alert}\``))],
      });
    }
  });

  it('names the alerts that docs/operation/repair.md explains', () => {
    const page = readFileSync(new URL('../docs/operation/repair.md', import.meta.url), 'utf8');
    const explained = [...page.matchAll(/^\| (.+?) \|/gm)].flatMap(
      ([, symptom = '']) => symptom.match(/(?<=`)Chairside[A-Z]\w+/g) ?? [],
    );
    expect(explained.toSorted()).toEqual(
      alerts()
        .map(({ alert }) => alert)
        .toSorted(),
    );
  });

  it('quotes log messages that the services write, and so does docs/operation/repair.md', () => {
    const folders = [
      'apps/api',
      'apps/webhook-dispatcher',
      'apps/dashboard/server',
      'apps/mcp',
      'packages/authorization-server',
      'packages/http-server',
      'packages/mongodb',
      'packages/startup',
      'packages/telemetry',
      'packages/concurrency',
    ];
    const sources = folders.flatMap((folder) =>
      readdirSync(new URL(`../${folder}/src`, import.meta.url), { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.ts'))
        .map((name) => readFileSync(new URL(`../${folder}/src/${name}`, import.meta.url), 'utf8')),
    );
    const quoted = alerts().flatMap(({ annotations }) =>
      [...annotations.description.matchAll(/"([^"]+)"/g)].map(([, message = '']) => message),
    );
    expect(quoted.length).toBeGreaterThan(3);
    for (const message of quoted)
      expect(sources.some((source) => source.includes(`'${message}'`))).toBe(true);

    const page = readFileSync(new URL('../docs/operation/repair.md', import.meta.url), 'utf8');
    const onPage = [...page.matchAll(/\blogs?(?: lines?)?:? ((?:`[^`]+`(?:,| or| and)? ?)+)/gi)].flatMap(
      ([, list = '']) => list.match(/(?<=`)[^`]+(?=`)/g)?.filter((text) => /^\w/.test(text)) ?? [],
    );
    expect(onPage.length).toBeGreaterThan(10);
    for (const message of onPage)
      expect({ message, isWritten: sources.some((source) => source.includes(message)) }).toEqual({
        message,
        isWritten: true,
      });
  });
});

test.each(dashboards)('%s: filters each panel by the variable job', (name) => {
  const { templating } = JSON.parse(read(`grafana/${name}`));
  expect(templating.list.map((variable: any) => variable.name)).toEqual(['datasource', 'job']);
  const [, metric = ''] = /^label_values\((\w+), job\)$/.exec(templating.list[1].query.query) ?? [];
  expect(typeOf(metric)).toBeDefined();
  for (const { expr } of targetsOf(name)) expect(expr).toContain('job=~"$job"');
});
