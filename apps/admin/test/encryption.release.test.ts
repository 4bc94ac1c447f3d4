import { setTimeout as sleep } from 'node:timers/promises';
import { cliOf, startWholeService, testEngines, type WholeService } from '@chairside/test-support';
import { afterAll, beforeAll, expect, test } from 'vitest';

/*
 * The switch of the search and the rotations of keys on a service that is written to and read, over kills of the command.
 */

const WRITERS = 6;
const EARLIER = 4000;
const CANARY = 'paradiesvogel';

let service: WholeService;
let admin: ReturnType<typeof cliOf>;
beforeAll(async () => {
  service = await startWholeService(testEngines().redisUrl);
  admin = cliOf(service);
  const { clinicIds, store } = service.practice;
  const lastEditTime = new Date().toISOString();
  for (let index = 0; index < EARLIER; index++)
    await store.patients.create({
      _id: `earlier-${index}`,
      clinicId: clinicIds[0],
      name: CANARY,
      createdTime: lastEditTime,
      lastEditTime,
    });
});
afterAll(() => service.close());

/** The raw bytes of every document, in lower case. */
const rawText = async (): Promise<string> => {
  const texts: string[] = [];
  for (const { name } of await service.database.listCollections().toArray()) {
    const raw = service.database.collection(name).find({}, { raw: true });
    for await (const document of raw)
      texts.push(
        Buffer.from(document as unknown as Uint8Array)
          .toString('latin1')
          .toLowerCase(),
      );
  }
  return texts.join('\n');
};

const idOf = ({ _id }: { _id: string }): string => _id;

/** The number of written patients. No two have the same e-mail address. */
let writes = 0;

/**
 * Writes, reads and searches for patients until it is stopped. Every response must be right.
 *
 * @param maySearchBeOff whether a search may be refused
 */
const startLoad = (maySearchBeOff = false) => {
  let isStopped = false;
  let refusedSearches = 0;
  /** The last acknowledged body of each patient. */
  const acknowledged = new Map<string, { name: string; email: string }>();
  const faults: unknown[] = [];
  const [clinicId] = service.practice.clinicIds;
  const fieldsOf = (number: number) => ({
    name: `${CANARY} z${String(number).padStart(6, '0')}`,
    email: `${CANARY}${number}@example.com`,
    phone: `+${number} ${CANARY}`,
  });
  const check = (name: string, found: unknown, wanted: unknown) => {
    if (JSON.stringify(found) !== JSON.stringify(wanted)) faults.push({ name, found, wanted });
  };
  const loop = async (): Promise<void> => {
    while (!isStopped) {
      const fields = fieldsOf(++writes);
      const created = await service.call('POST', '/api/patients', { clinicId, ...fields });
      check('create', created.status, 200);
      const { _id } = created.json;
      const changed = { ...fields, name: `${fields.name} changed` };
      const updated = await service.call('PUT', `/api/patients/${_id}`, changed);
      check('update', updated.status, 200);
      acknowledged.set(_id, changed);
      const read = await service.call('GET', `/api/patients/${_id}`);
      check('read', [read.json.name, read.json.email], [changed.name, changed.email]);
      const listed = await service.call('GET', `/api/patients?email=${fields.email.toUpperCase()}`);
      check('find', listed.json?.map(idOf), [_id]);
      const searched = await service.call('POST', '/api/patients/search', {
        name: changed.name.toUpperCase(),
      });
      if (maySearchBeOff && searched.status === 403) refusedSearches++;
      else check('search', [searched.status, searched.json.map?.(idOf)], [200, [_id]]);
    }
  };
  const loops = Array.from({ length: WRITERS }, loop);
  return {
    acknowledged,
    faults,
    writes: () => writes,
    refusedSearches: () => refusedSearches,
    async stop() {
      isStopped = true;
      await Promise.all(loops);
    },
  };
};
type Load = ReturnType<typeof startLoad>;

/** Waits until the load has made more writes. */
const untilMore = async (load: Load, more: number): Promise<void> => {
  const until = load.writes() + more;
  await expect.poll(() => load.writes() >= until).toBe(true);
};

const expectNothingLost = async ({ acknowledged, faults }: Load): Promise<void> => {
  expect(faults.slice(0, 3)).toEqual([]);
  const { json } = await service.call('GET', '/api/patients');
  const found = new Map(
    json.map(({ _id, name, email }: Record<string, string>) => [_id, { name, email }] as const),
  );
  for (const [id, { name, email }] of acknowledged) expect(found.get(id)).toEqual({ name, email });
  const errors = [...service.api.lines, ...service.dispatcher.lines].filter(({ level }) => level >= 50);
  expect(errors).toEqual([]);
};

const isFinal = { finalTime: { $exists: true } };
const untilSent = () =>
  expect
    .poll(
      async () =>
        (await service.database.collection('patients').countDocuments({ outboxAt: { $exists: true } })) +
        (await service.database.collection('deliveries').countDocuments({ $nor: [isFinal] })),
    )
    .toBe(0);

test('the search is switched off and on under load, over a kill of the command, and what it finds is right', async () => {
  const { organizationId } = service.practice;
  const patients = service.database.collection('patients');
  const withTokens = () => patients.countDocuments({ searchTokens: { $exists: true } });
  const search = (verb: string) => ['organization', 'search', verb, organizationId];
  const load = startLoad(true);
  await untilMore(load, 20);
  expect(await admin.run(search('off'))).toMatchObject({ code: 0, json: { state: 'off', refused: [] } });
  await untilMore(load, 20);
  expect(await withTokens()).toBe(0);
  expect(load.refusedSearches()).toBeGreaterThan(0);

  const killed = admin.start(search('on'));
  await expect.poll(withTokens).toBeGreaterThan(0);
  killed.child.kill('SIGKILL');
  await killed.ended;
  expect(await admin.run(search('on'))).toMatchObject({ code: 0, json: { state: 'on', refused: [] } });
  const refused = load.refusedSearches();
  await untilMore(load, 50);
  expect(load.refusedSearches()).toBe(refused);
  await load.stop();
  await untilSent();
  await expectNothingLost(load);
  expect(await withTokens()).toBe(await patients.countDocuments());
});

test('the data key and the master key are rotated under load, over kills of the command, and nothing is lost', async () => {
  const load = startLoad();
  await untilMore(load, 20);
  const { organizationId } = service.practice;
  const rotate = ['encryption', 'rotate-data-key', '--organization', organizationId];
  for (const milliseconds of [600, 1200, 1800]) {
    const killed = admin.start(rotate);
    // The kill hits the command wherever it is.
    await sleep(milliseconds);
    killed.child.kill('SIGKILL');
    await killed.ended;
  }
  const resealed = await admin.run(rotate);
  expect({ code: resealed.code, json: resealed.json }).toMatchObject({ code: 0, json: { refused: [] } });
  await untilMore(load, 20);

  const both = `new:${Buffer.alloc(32, 7).toString('base64')},${service.encryptionKeys}`;
  await load.stop();
  await untilSent();
  await expectNothingLost(load);
  // The services have the new key before the data keys are written under it.
  await Promise.all([service.api.end('SIGTERM'), service.dispatcher.end('SIGTERM')]);
  await service.startApi({ ENCRYPTION_KEYS: both });
  await service.startDispatcher({ ENCRYPTION_KEYS: both });
  const more = startLoad();
  await untilMore(more, 20);
  const master = cliOf({ url: service.url, encryptionKeys: both });
  const killed = master.start(['encryption', 'rotate']);
  await sleep(700);
  killed.child.kill('SIGKILL');
  await killed.ended;
  const rotated = await master.run(['encryption', 'rotate']);
  expect({ code: rotated.code, json: rotated.json }).toMatchObject({ code: 0, json: { left: [] } });
  await untilMore(more, 20);
  await more.stop();
  await untilSent();
  await expectNothingLost(more);
  const check = await master.run(['encryption', 'check']);
  expect({ code: check.code, json: check.json }).toMatchObject({ code: 0, json: { refused: [] } });
  expect(await rawText()).not.toContain(CANARY);
});
