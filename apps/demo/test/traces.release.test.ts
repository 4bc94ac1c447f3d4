import { startWholeService, testEngines, type WholeService } from '@chairside/test-support';
import { expect, onTestFinished, test } from 'vitest';
import { type CollectedSpan, startCollector } from './collector.ts';

/**
 * A text that is sent in fields of a patient, in queries, in paths and in the receiver's response. It must not occur in
 * traces.
 */
const CANARY = 'zqxcanary';
const patient = {
  name: `${CANARY} Ada`,
  email: `${CANARY}@example.com`,
  phone: `+49 ${CANARY}`,
};

const startTraced = async (environment: Record<string, string>): Promise<WholeService> => {
  const service = await startWholeService(testEngines().redisUrl, { environment });
  onTestFinished(() => service.close());
  return service;
};

const createPatient = async ({ call, practice, receiver }: WholeService) => {
  const created = await call('POST', '/api/patients', { clinicId: practice.clinicIds[0], ...patient });
  expect(created.status).toBe(200);
  await receiver.until((posts) => posts.some(({ json }) => json.data._id === created.json._id));
  return created;
};

/** Shuts api and dispatcher down. They send their remaining spans. */
const end = async ({ api, dispatcher }: WholeService): Promise<void> => {
  expect(await api.end('SIGTERM')).toBe(0);
  expect(await dispatcher.end('SIGTERM')).toBe(0);
};

const partsOf = (spans: readonly CollectedSpan[], parent: CollectedSpan): string[] =>
  spans.filter(({ parentSpanId }) => parentSpanId === parent.spanId).map(({ name }) => name);

test('traces a write from its request to its delivery by ids, without patient data', async () => {
  const collector = await startCollector();
  onTestFinished(collector.close);
  const service = await startTraced({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    // No span is sent before the shutdown.
    OTEL_BSP_SCHEDULE_DELAY: '3600000',
  });
  service.receiver.respond = ({ raw }, response) => void response.writeHead(500, CANARY).end(raw);
  const { json, requestId } = await createPatient(service);
  await service.call('GET', `/api/patients?email=${patient.email}`);
  await service.call('GET', `/api/patients/${CANARY}?${CANARY}=1`);
  await service.call('GET', `/${CANARY}`);
  const delivery = await service.dispatcher.logged(({ msg }) => msg === 'delivery');
  await end(service);

  const { spans } = collector;
  const find = (name: string): CollectedSpan => {
    const found = spans.find((span) => span.name === name);
    if (found === undefined) throw new Error(`no ${name} in ${spans.map((span) => span.name).join(', ')}`);
    return found;
  };
  const request = find('POST /api/patients');
  expect(request).toMatchObject({ service: 'chairside-api', kind: 2 });
  expect(request.attributes).toEqual({
    'http.request.method': 'POST',
    'http.route': '/api/patients',
    'http.response.status_code': 200,
    'chairside.request_id': requestId,
    'chairside.organization_id': service.practice.organizationId,
  });
  expect(partsOf(spans, request)).toEqual(
    expect.arrayContaining(['find apiKeys', 'insert patients', 'send events']),
  );
  expect(find('insert patients').attributes).toEqual({
    'db.system.name': 'mongodb',
    'db.namespace': service.database.databaseName,
    'db.operation.name': 'insert',
    'db.collection.name': 'patients',
  });
  expect(partsOf(spans, find('GET /api/patients'))).toEqual(
    expect.arrayContaining(['find patients', 'insert auditEntries']),
  );

  const fanOut = find('process events');
  expect(fanOut).toMatchObject({ service: 'chairside-webhook-dispatcher', kind: 5 });
  expect(partsOf(spans, fanOut)).toEqual(expect.arrayContaining(['find subscriptions', 'insert deliveries']));
  const deliver = find('deliver patient.created');
  expect(deliver.kind).toBe(3);
  expect(deliver.attributes).toMatchObject({
    'chairside.delivery_id': delivery._id,
    'chairside.subscription_id': service.subscription._id,
    'chairside.event_id': find('send events').attributes['chairside.event_id'],
    'chairside.request_id': requestId,
    'chairside.outcome': 'failed',
    'chairside.cause': 'status',
    'error.type': 'status',
    'http.response.status_code': 500,
  });
  expect(Number(deliver.endTimeUnixNano) - Number(deliver.startTimeUnixNano)).toBeGreaterThan(0);

  // The log lines lead to the traces.
  const line = service.api.lines.find((each) => each.msg === 'request' && each.requestId === requestId);
  expect([line?.traceId, delivery.traceId]).toEqual([request.traceId, deliver.traceId]);

  const requests = spans.filter(({ kind, service: of }) => kind === 2 && of === 'chairside-api');
  expect(requests.map(({ name }) => name)).toEqual([
    'POST /api/patients',
    'GET /api/patients',
    'GET /api/patients/:patientId',
    'GET',
  ]);
  const sent = collector.bodies.join('\n');
  expect(sent).not.toContain(CANARY);
  // No span contains the ids of records, which occur in paths.
  expect(sent).not.toContain(json._id);
});

test('loads no OpenTelemetry package without its environment variables', async () => {
  const service = await startTraced({ NODE_DEBUG: 'esm' });
  await createPatient(service);
  await end(service);
  const lines = [...service.api.lines, ...service.dispatcher.lines].map(({ msg }) => String(msg));
  expect(lines.some((line) => line.includes('bullmq'))).toBe(true);
  // The lines also show the text of each module.
  const loading = lines.filter((line) => !line.includes('await import('));
  expect(loading.filter((line) => line.includes('opentelemetry'))).toEqual([]);
});

test('an unreachable collector is logged once, and delays neither a write nor the shutdown', async () => {
  const service = await startTraced({
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1',
    OTEL_BSP_SCHEDULE_DELAY: '10',
    OTEL_EXPORTER_OTLP_TIMEOUT: '500',
  });
  await createPatient(service);
  const isReported = ({ msg }: { msg?: string }) => msg === 'traces cannot be exported';
  await service.api.logged(isReported);
  await createPatient(service);
  await end(service);
  expect(service.api.lines.filter(isReported)).toHaveLength(1);
});
