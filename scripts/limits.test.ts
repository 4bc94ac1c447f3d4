import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { importLimits } from '../apps/admin/src/lines.ts';
import { repeatLimits } from '../apps/admin/src/repeats.ts';
import { batchResultLimits } from '../apps/api/src/batch/batch.ts';
import { batchIssueLimits } from '../apps/api/src/batch/issues.ts';
import { batchWriteLimits } from '../apps/api/src/batch/read.ts';
import { batchRateLimits } from '../apps/api/src/batch/routes.ts';
import { batchTurnLimits } from '../apps/api/src/batch/turns.ts';
import { lookupLimits } from '../apps/api/src/http/authentication.ts';
import { databaseLimits } from '../apps/api/src/http/error-handler.ts';
import { bodyLimits } from '../apps/api/src/http/json-bodies.ts';
import { rateLimits } from '../apps/api/src/http/rate-limit.ts';
import { requestTurnLimits } from '../apps/api/src/http/requests-in-flight.ts';
import { streamLimits } from '../apps/api/src/lists/admission.ts';
import { pageLimits } from '../apps/api/src/lists/pages.ts';
import { queryLimits } from '../apps/api/src/lists/query.ts';
import { createMetrics } from '../apps/api/src/monitoring/metrics.ts';
import { operatorLinkLimits } from '../apps/api/src/operator-links/routes.ts';
import { operatorLimits } from '../apps/api/src/operators/changes.ts';
import { invitationLimits } from '../apps/api/src/operators/invitations.ts';
import { passwordGuardLimits } from '../apps/api/src/passwords/password-guard.ts';
import { exportLimits } from '../apps/api/src/patients/export-turns.ts';
import { eventByteLimits } from '../apps/api/src/records/event-bytes.ts';
import { answerLimits } from '../apps/api/src/sessions/answer-limits.ts';
import { sendingLimits } from '../apps/api/src/webhook-deliveries/sending-limits.ts';
import { ownRequestLimits } from '../apps/dashboard/server/src/api.ts';
import { downloadLimits } from '../apps/dashboard/server/src/downloads/admission.ts';
import { dashboardRequestLimits } from '../apps/dashboard/server/src/forwarding/admission.ts';
import { dashboardBodyLimits } from '../apps/dashboard/server/src/forwarding/bodies.ts';
import { createMetrics as createDashboardMetrics } from '../apps/dashboard/server/src/metrics.ts';
import { tokenLimits } from '../apps/mcp/src/authorization/checked-tokens.ts';
import { connectorBodyLimits } from '../apps/mcp/src/http/error-handler.ts';
import { messageLimits } from '../apps/mcp/src/http/message-bounds.ts';
import { grantLimits } from '../apps/mcp/src/http/rate-limit.ts';
import { createMetrics as createConnectorMetrics } from '../apps/mcp/src/metrics.ts';
import { toolLimits } from '../apps/mcp/src/tools/turns.ts';
import { sendLimits } from '../apps/webhook-dispatcher/src/delivery/send.ts';
import { mailLoopLimits } from '../apps/webhook-dispatcher/src/mail/mail-loop.ts';
import { largeRecordLimits } from '../apps/webhook-dispatcher/src/publishing/large-records.ts';
import { smallRecordLimits } from '../apps/webhook-dispatcher/src/publishing/small-records.ts';
import { admissionLimits } from '../apps/webhook-dispatcher/src/scheduler/admission.ts';
import { oauthLimits } from '../packages/authorization-server/src/limits.ts';
import { appointmentLimits } from '../packages/domain/src/appointment.ts';
import { auditLimits } from '../packages/domain/src/audit-entry.ts';
import { batchLimits } from '../packages/domain/src/batch.ts';
import { credentialLimits } from '../packages/domain/src/credential-limits.ts';
import { deliveryLimits } from '../packages/domain/src/delivery.ts';
import { issueLimits } from '../packages/domain/src/errors.ts';
import { factorLimits } from '../packages/domain/src/factor.ts';
import { mailLifeLimits } from '../packages/domain/src/mail.ts';
import { noticeLimits } from '../packages/domain/src/notice.ts';
import type { ResourceLimit } from '../packages/domain/src/resource-limit.ts';
import { serviceStatusLimits } from '../packages/domain/src/service-status.ts';
import { settingLimits } from '../packages/domain/src/setting-limits.ts';
import { subscriptionLimits } from '../packages/domain/src/subscription.ts';
import { fixedHeaderLimits } from '../packages/domain/src/subscription-headers.ts';
import { connectionLimits } from '../packages/http-server/src/connections.ts';
import { type Door, doors } from '../packages/http-server/src/doors.ts';
import { stallLimits } from '../packages/http-server/src/stalled-responses.ts';
import { pipeliningLimits } from '../packages/http-server/src/watch-connections.ts';
import { smtpLimits } from '../packages/mail/src/smtp.ts';
import { mailTextLimits } from '../packages/mail/src/template.ts';
import { passwordLimits } from '../packages/mongodb/src/access/passwords.ts';
import { auditedSetLimits } from '../packages/mongodb/src/audit/audited-sets.ts';
import { redeliveryLimits } from '../packages/mongodb/src/deliveries/redeliveries.ts';
import { examinedLimits } from '../packages/mongodb/src/driver/time-order.ts';
import { examiningLimits } from '../packages/mongodb/src/records/examination.ts';
import { outboxLimits } from '../packages/mongodb/src/records/outbox.ts';
import { recordLimits } from '../packages/mongodb/src/records/records.ts';
import { bookingLimits } from '../packages/mongodb/src/schedule/bookings.ts';
import { occupiedReadLimits } from '../packages/mongodb/src/schedule/occupied-reads.ts';
import { stopLimits } from '../packages/mongodb/src/stops/stops.ts';
import { strengthLimits } from '../packages/passwords/src/strength.ts';
import { eventQueueLimits } from '../packages/queue/src/events.ts';

/*
 * docs/limits.md lists every limit of the service. Its tables are generated from the tables in the code, which are next
 * to the code that enforces the limits. To add a limit, add a row there, import a new table here, then run npm test --
 * scripts/limits.test.ts -u
 */
const tables = {
  appointmentLimits,
  batchLimits,
  batchRateLimits,
  batchIssueLimits,
  batchResultLimits,
  batchWriteLimits,
  batchTurnLimits,
  auditLimits,
  bodyLimits,
  bookingLimits,
  admissionLimits,
  connectionLimits,
  connectorBodyLimits,
  credentialLimits,
  databaseLimits,
  deliveryLimits,
  eventByteLimits,
  exportLimits,
  eventQueueLimits,
  auditedSetLimits,
  examinedLimits,
  examiningLimits,
  occupiedReadLimits,
  mailLifeLimits,
  mailLoopLimits,
  mailTextLimits,
  noticeLimits,
  stopLimits,
  messageLimits,
  grantLimits,
  importLimits,
  issueLimits,
  lookupLimits,
  oauthLimits,
  operatorLimits,
  invitationLimits,
  operatorLinkLimits,
  outboxLimits,
  ownRequestLimits,
  pageLimits,
  passwordGuardLimits,
  passwordLimits,
  factorLimits,
  answerLimits,
  pipeliningLimits,
  smtpLimits,
  smallRecordLimits,
  largeRecordLimits,
  dashboardBodyLimits,
  dashboardRequestLimits,
  downloadLimits,
  queryLimits,
  rateLimits,
  recordLimits,
  redeliveryLimits,
  repeatLimits,
  requestTurnLimits,
  sendingLimits,
  sendLimits,
  serviceStatusLimits,
  settingLimits,
  stallLimits,
  streamLimits,
  strengthLimits,
  subscriptionLimits,
  fixedHeaderLimits,
  tokenLimits,
  toolLimits,
};
const limits: readonly ResourceLimit[] = Object.values(tables).flat();
const root = new URL('..', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8');

const REFUSALS = 'chairside_api_refusals_total';
const metricOf = ({ metric, beyond, id }: ResourceLimit): string => {
  if (metric === undefined) return '–';
  if (metric !== REFUSALS) return `\`${metric}\``;
  const [, name] = /^400 (\w+)/.exec(beyond) ?? [];
  return `\`${REFUSALS}{${name === undefined ? `limit="${id}"` : `name="${name}"`}}\``;
};

const rowOf = (limit: ResourceLimit): string =>
  `| ${limit.resource} | ${limit.value.toLocaleString('en')} ${limit.unit} | ${limit.beyond} | ${metricOf(limit)} |`;
const tableOf = (part: string): string =>
  [
    '| What | Limit | Beyond it | Metric |',
    '| --- | --- | --- | --- |',
    ...limits.filter((limit) => limit.part === part).map(rowOf),
  ].join('\n');

const doorRow = ({ server, routes, body = '–', countedBy, turns = '–' }: Door): string =>
  `| ${server} | ${routes} | ${body} | ${countedBy.join(', ')} | ${turns} |`;
const doorTable = (): string =>
  [
    '| Server | Routes | Largest body | Counted by | Requests wait in turns |',
    '| --- | --- | --- | --- | --- |',
    ...Object.values(doors).map(doorRow),
  ].join('\n');

/** Returns the page with the tables of the code. Each table is below the comment that names its part. */
const expectedPage = (page: string): string =>
  page
    .replace(/(<!-- limits: (.+) -->\n)(?:\|.*\n)*/g, (_all, marker, part) => `${marker}${tableOf(part)}\n`)
    .replace(/(<!-- doors -->\n)(?:\|.*\n)*/, (_all, marker) => `${marker}${doorTable()}\n`);

test('docs/limits.md is up to date; update it with: npm test -- scripts/limits.test.ts -u', async () => {
  const page = read('docs/limits.md');
  await expect(expectedPage(page)).toMatchFileSnapshot('../docs/limits.md');
  const parts = [...page.matchAll(/<!-- limits: (.+) -->/g)].map(([, part]) => part);
  expect(parts.toSorted()).toEqual([...new Set(limits.map(({ part }) => part))].toSorted());
});

test('collects every table of limits in the code, and each limit has a unique id', () => {
  const declared = globSync('{apps,packages,apps/dashboard}/*/src/**/*.ts', { cwd: root })
    .flatMap((file) => [...read(file).matchAll(/export const (\w+): readonly ResourceLimit\[\]/g)])
    .map(([, name]) => name);
  expect(declared.toSorted()).toEqual(Object.keys(tables).toSorted());
  const ids = limits.map(({ id }) => id);
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
});

test('the limits of every door exist', () => {
  const ids = limits.map(({ id }) => id);
  for (const [name, door] of Object.entries<Door>(doors)) {
    expect([name, door.limits.filter((id) => !ids.includes(id))]).toEqual([name, []]);
    expect([name, door.limits.length > 0]).toEqual([name, true]);
  }
});

test('contains every limit that a refusal names', () => {
  const named = globSync('apps/api/src/**/*.ts', { cwd: root })
    .filter((file) => !file.endsWith('.test.ts'))
    .flatMap((file) => [...read(file).matchAll(/(?:\blimit: |tooManyRequests\(\s*)'(\w+)'/g)])
    .map(([, id]) => id);
  expect(named.length).toBeGreaterThan(3);
  expect(limits.map(({ id }) => id)).toEqual(expect.arrayContaining(named));
});

const nobody = { waiting: () => 0 };
const keys = { usedShare: () => 0 };
test('counts the refusals at each limit of the api from 0, so that Prometheus sees the first one', async () => {
  const metrics = createMetrics(
    { isReady: () => true },
    { passwords: nobody, operations: nobody, ciphers: keys },
  );
  const { text } = await metrics.expose();
  const refused = limits
    .filter(({ metric }) => metric === REFUSALS)
    .map(({ id, beyond }) => ({ id, beyond }));
  const expected = refused.flatMap(({ id, beyond }) =>
    (beyond.match(/TooManyRequests|ServiceUnavailable/g) ?? []).map(
      (name) => `${REFUSALS}{name="${name}",limit="${id}"} 0`,
    ),
  );
  expect(expected.length).toBeGreaterThan(20);
  expect(text.split('\n')).toEqual(expect.arrayContaining(expected));
  // The limits of refusals whose use another metric shows.
  const named = [...text.matchAll(new RegExp(`^${REFUSALS}\\{name="\\w+",limit="(\\w+)"\\}`, 'gm'))];
  expect(limits.map(({ id }) => id)).toEqual(expect.arrayContaining(named.map(([, id]) => id)));
});

test('names only metrics that exist', async () => {
  const exposed = [
    createMetrics({ isReady: () => true }, { passwords: nobody, operations: nobody, ciphers: keys }),
    createDashboardMetrics(),
    createConnectorMetrics(),
  ].map(async ({ expose }) =>
    [...(await expose()).text.matchAll(/^# TYPE (\S+) (\w+)$/gm)].map(([, name, type]) =>
      type === 'histogram' ? `${name}_count` : name,
    ),
  );
  const ofDispatcher = read('apps/webhook-dispatcher/src/monitoring/metrics.ts').matchAll(
    /'(chairside_\w+)'/g,
  );
  const existing = [...(await Promise.all(exposed)).flat(), ...[...ofDispatcher].map(([, name]) => name)];
  const named = read('docs/limits.md').match(/\bchairside_[a-z_]+/g) ?? [];
  expect(named.length).toBeGreaterThan(10);
  expect(existing).toEqual(expect.arrayContaining(named));
});

test('contains every limit that an alert or a dashboard names', () => {
  const files = ['prometheus/alerts.yaml', 'grafana/api.json', 'grafana/webhooks.json'];
  const patterns = files
    .flatMap((file) => [...read(`deploy/${file}`).matchAll(/\blimit(?:=|!=|=~|!~)\\?"([^"\\]+)/g)])
    .flatMap(([, pattern = '']) => pattern.split('|'))
    .filter((pattern) => pattern !== 'none');
  expect(patterns.length).toBeGreaterThan(5);
  for (const pattern of patterns) {
    const isOne = limits.some(({ id }) => new RegExp(`^(?:${pattern})$`).test(id));
    expect({ pattern, isOne }).toEqual({ pattern, isOne: true });
  }
});
