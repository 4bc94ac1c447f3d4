import { newId } from '@chairside/domain';
import { apiAddress, startApi } from '@chairside/test-support';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { openTestApi, type TestApi, token } from './api.ts';

const CALLERS = 1000;
const CHAIRS = 25;
const DAY = '2030-12-02';

let api: TestApi;
beforeAll(async () => {
  api = await openTestApi();
});
afterAll(() => api.close());

const startOne = async (): Promise<string> => {
  const process = startApi(api.environment);
  onTestFinished(() => void process.end('SIGKILL'));
  return apiAddress(process);
};

/** Books, and repeats a call that has waited too long for its turn. */
const book = async (address: string, accessToken: string, body: object) => {
  const key = newId();
  for (;;) {
    const response = await fetch(`${address}/api/appointments?onlyIfFree=true`, {
      method: 'POST',
      headers: {
        authorization: token(accessToken),
        'content-type': 'application/json',
        'idempotency-key': key,
      },
      body: JSON.stringify(body),
    });
    const json = (await response.json()) as any;
    if (response.status !== 503) return { status: response.status, json };
  }
};

test(`${CALLERS} callers of two processes want one slot with ${CHAIRS} chairs: exactly ${CHAIRS} get it`, async () => {
  const [clinicId, providerId] = [newId(), newId()];
  const { store, administrator, staff } = api.practice;
  const named = { name: 'East', currency: 'EUR', timezone: 'UTC', lastEditTime: new Date().toISOString() };
  await store.clinics.create({ _id: clinicId, ...named });
  await store.providers.create({ _id: providerId, name: 'Dr. Ines Albers', clinicIds: [clinicId] });
  const none = { tuesday: [], wednesday: [], thursday: [], friday: [], saturday: [], sunday: [] };
  await store.openingHours.set(clinicId, {
    weekdays: { monday: [{ opens: '08:00', closes: '12:00' }], ...none },
    ...{ exceptions: [], chairs: CHAIRS, slotMinutes: 30 },
  });
  const addresses = [await startOne(), await startOne()];
  const tokens = [administrator.token, staff.token];
  const responses = await Promise.all(
    Array.from({ length: CALLERS }, (_, index) =>
      book(String(addresses[index % 2]), String(tokens[(index >> 1) % 2]), {
        clinicId,
        startTime: `${DAY}T08:00:00Z`,
        endTime: `${DAY}T08:30:00Z`,
        // Some of the callers want the same provider, who has time for one of them.
        ...(index % 10 === 0 && { providerId }),
      }),
    ),
  );
  const booked = responses.filter(({ status }) => status === 200);
  const refused = responses.filter(({ status }) => status === 409);
  expect([booked.length, refused.length]).toEqual([CHAIRS, CALLERS - CHAIRS]);
  expect(booked.filter(({ json }) => json.providerId === providerId).length).toBeLessThanOrEqual(1);
  const slot = (start: string, end: string) => ({
    start: `${DAY}T${start}:00+00:00`,
    end: `${DAY}T${end}:00+00:00`,
  });
  const free = [slot('08:30', '09:00'), slot('09:00', '09:30'), slot('09:30', '10:00')];
  for (const { json } of refused) {
    expect(['fully_booked', 'provider_busy']).toContain(json.details.reason);
    expect(json.details.nextSlots).toEqual(free);
  }
  const stored = await api.database.collection('appointments').find({ clinicId }).toArray();
  expect(stored).toHaveLength(CHAIRS);
});
