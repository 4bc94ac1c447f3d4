import { type Engine, startRedis } from '@chairside/local-services';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startWholeService, type WholeService } from './whole-service.ts';

/** No other string has it, whatever its case or encoding. */
const CANARY = 'kanarienvogel';
const patient = {
  name: `${CANARY} name`,
  email: `${CANARY}@example.com`,
  phone: `${CANARY} phone`,
  language: `${CANARY} language`,
};
const appointment = {
  startTime: '2031-01-01T10:00:00Z',
  endTime: '2031-01-01T11:00:00Z',
  procedures: [{ procedureId: `${CANARY}-p`, name: `${CANARY} procedure`, price: `${CANARY} price` }],
  reminders: [{ [`${CANARY} key`]: `${CANARY} reminder` }],
};

let redis: Engine;
let service: WholeService;
/** Every command that Redis was sent, with its arguments. */
const sentToRedis: string[] = [];
/** What the api answered where it refused or failed. */
const errors: string[] = [];
let monitor: Redis;

beforeAll(async () => {
  redis = await startRedis({ ephemeral: true, environment: { ...process.env, REDIS_URL: '' } });
  monitor = await new Redis(redis.url).monitor();
  monitor.on('monitor', (_time: string, command: string[]) => sentToRedis.push(command.join(' ')));
  service = await startWholeService(redis.url);
});
afterAll(async () => {
  monitor.disconnect();
  await service.close();
  await redis.stop();
});

const call = async (method: string, path: string, body?: object, as?: string) => {
  const answer = await service.call(method, path, body, as);
  if (answer.status >= 400) errors.push(JSON.stringify(answer.json));
  return answer;
};

/** Everything that a caller, a receiver and an administrator can bring about with patient data. */
const goThroughAll = async (): Promise<void> => {
  const [clinicId] = service.practice.clinicIds;
  const { receiver, subscription, practice } = service;
  const created = await call('POST', '/api/patients', { clinicId, ...patient });
  const one = `/api/patients/${created.json._id}`;
  const made = await call('POST', '/api/appointments', {
    clinicId,
    patientId: created.json._id,
    ...appointment,
  });
  await call('GET', one);
  await call('GET', '/api/patients');
  await call('GET', `/api/patients?email=${patient.email}&limit=1`);
  await call('GET', `/api/patients?clinicId=${CANARY}&updatedSince=${CANARY}`);
  await call('GET', `/api/patients/${CANARY}`);
  await call('GET', `/${CANARY}?${CANARY}=1`);
  await call('PUT', one, { ...patient, email: CANARY, language: 5 });
  await call('PUT', one, { clinicId: CANARY, ...patient });
  await call('POST', '/api/appointments', { clinicId, ...appointment, endTime: CANARY, status: CANARY });
  await call('GET', `/api/patients?cursor=${CANARY}&limit=1`);
  await call('POST', '/api/sessions', { email: patient.email, password: `${CANARY} password` }, '');
  await call('GET', '/api/patients', undefined, `Basic ${Buffer.from(CANARY).toString('base64')}`);

  // A receiver that fails and quotes what it got.
  receiver.answer = ({ raw }, response) => void response.writeHead(500, `${CANARY} reason`).end(raw);
  await call('PUT', one, { name: `${CANARY} again` });
  await call('DELETE', `/api/appointments/${made.json._id}`);
  await call('DELETE', one);
  const deliveries = () =>
    service.database.collection('deliveries').countDocuments({ finalTime: { $exists: true } });
  await expect.poll(deliveries, { timeout: 20_000 }).toBe(5);
  const asAdministrator = `Token ${practice.administrator.token}`;
  const path = `/api/webhooksubscriptions/${subscription._id}`;
  const failed = await call('GET', `${path}/deliveries?outcome=failed`, undefined, asAdministrator);
  expect(failed.json.length).toBeGreaterThan(0);
  await call('POST', `/api/webhookdeliveries/${failed.json[0]._id}/redeliver`, {}, asAdministrator);
  await call('GET', '/api/events');
};

const metricsOf = async ({ address, port }: { address: string; port: number }): Promise<string> =>
  (await fetch(`http://${address}:${port}/metrics`)).text();

test('no log line, metric, error or command to Redis has anything of a patient', async () => {
  await goThroughAll();
  const { api, dispatcher } = service;
  const told = await api.logged(({ msg }) => msg === 'telling metrics');
  const { address } = await dispatcher.logged(({ msg }) => msg === 'dispatching');
  // That lines are as full as they may be.
  expect(api.lines.some(({ queryKeys }) => String(queryKeys) === 'email,limit')).toBe(true);
  const places = {
    'lines of the api': JSON.stringify(api.lines),
    'lines of the dispatcher': JSON.stringify(dispatcher.lines),
    'metrics of the api': await metricsOf(told.address),
    'metrics of the dispatcher': await metricsOf(address),
    errors: errors.join('\n'),
    Redis: sentToRedis.join('\n'),
  };
  for (const [place, text] of Object.entries(places)) {
    expect({ place, isEmpty: text.length < 100 }).toEqual({ place, isEmpty: false });
    const at = text.toLowerCase().indexOf(CANARY);
    expect({ place, found: at === -1 ? '' : text.slice(Math.max(0, at - 200), at + 50) }).toEqual({
      place,
      found: '',
    });
  }
});
