import { basic, createPractice, metricsUrl, startWholeService, testEngines } from '@chairside/test-support';
import { expect, test } from 'vitest';

/** The values of these series. A series that does not exist is NaN. */
const valuesAt = async (url: string, ...series: string[]): Promise<number[]> => {
  const lines = (await (await fetch(url)).text()).split('\n');
  return series.map((name) =>
    Number(
      lines
        .find((line) => line.startsWith(`${name} `))
        ?.split(' ')
        .at(-1),
    ),
  );
};

const UNREADABLE = (collection: string) => `chairside_unreadable_values_total{collection="${collection}"}`;
const UNUSABLE = 'chairside_unusable_data_keys_total';
const FAULTS = 'chairside_api_faults_total';

test('the first value that does not open, and the first lost data key, are an increase of a series that was 0', async () => {
  const service = await startWholeService(testEngines().redisUrl, { dispatcher: false });
  const { clinicIds } = service.practice;
  const patient = { clinicId: clinicIds[0], name: 'Ada Example' };
  const { json } = await service.call('POST', '/api/patients', patient);
  const garbled = Buffer.alloc(64, 'x');
  await service.database
    .collection('patients')
    .updateOne({ _id: json._id }, { $set: { sealed: garbled, 'outbox.$[].body': garbled } });

  const api = await metricsUrl(service.api);
  expect(await valuesAt(api, FAULTS, UNREADABLE('patients'), UNUSABLE)).toEqual([0, 0, 0]);
  expect((await service.call('GET', `/api/patients/${json._id}`)).status).toBe(500);
  expect(await valuesAt(api, FAULTS, UNREADABLE('patients'), UNUSABLE)).toEqual([1, 1, 0]);

  // An organization that no process has read the keys of, with an event that waits.
  const other = await createPractice(service.store);
  await other.store.subscriptions.create(
    { clinicId: other.clinicIds[0], url: service.receiver.url, events: [], active: true },
    new Date(),
  );
  const as = basic(other.apiKey);
  const waiting = { clinicId: other.clinicIds[0], name: 'Bob Example' };
  await service.call('POST', '/api/patients', waiting, as);
  await service.database.collection('dataKeys').deleteMany({ organizationId: other.organizationId });
  await service.api.end('SIGTERM');
  await service.startApi();
  const second = await metricsUrl(service.api);
  expect(await valuesAt(second, FAULTS, UNUSABLE)).toEqual([0, 0]);
  expect((await service.call('GET', '/api/patients', undefined, as)).status).toBe(500);
  expect(await valuesAt(second, FAULTS, UNUSABLE)).toEqual([1, 1]);
  const line = await service.api.logged(
    ({ msg }) => msg === 'the data keys of an organization cannot be used',
  );
  expect(line.organizationId).toBe(other.organizationId);

  await service.startDispatcher();
  const dispatcher = await metricsUrl(service.dispatcher);
  const both = () => valuesAt(dispatcher, UNREADABLE('events'), UNUSABLE);
  await expect.poll(async () => (await both()).every((value) => value > 0)).toBe(true);
  await service.close();
});
