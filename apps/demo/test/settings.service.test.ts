import { openSchedule } from '@chairside/mongodb/schedule';
import { countByDay, countWindow, findSlots, slotWindow } from '@chairside/schedule';
import { openTestStore, type TestStore } from '@chairside/test-support';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createPractice, type DemoOrganization } from '../src/practice.ts';

const DAY = 86_400_000;

let testStore: TestStore;
let practice: DemoOrganization;
beforeAll(async () => {
  testStore = await openTestStore();
  practice = await createPractice(testStore.store, 'Demo', 'http://127.0.0.1:1/webhooks');
});
afterAll(() => testStore.close());

test('the practices of the demo have settings, free slots and counts, as a reader of the schedule sees them', async () => {
  const door = openSchedule({ url: testStore.url, appName: 'test' });
  const schedule = door.organization(practice._id);
  const [clinic] = (await schedule.clinics()).rows;
  const { _id: clinicId = '', timezone = '' } = clinic ?? {};
  expect(practice.clinicIds).toContain(clinicId);
  expect((await schedule.providers()).rows.map(({ name }) => name)).toContain('Dr. Ines Albers');
  const [checkUp] = (await schedule.procedures({ clinicId, query: 'check' })).rows;
  expect(checkUp).toMatchObject({ price: '45.00', currency: 'EUR', durationMinutes: 30, bookable: true });

  const now = new Date();
  const [from, to] = [1, 14].map((days) => new Date(now.getTime() + days * DAY).toISOString().slice(0, 10));
  const range = { from: from ?? '', to: to ?? '' };
  const search = { clinicId, durationMinutes: checkUp?.durationMinutes ?? 0, ...range };
  const window = slotWindow(timezone, search);
  if (window === undefined) throw new Error('no window');
  const place = { timezone, hours: await schedule.openingHours(clinicId) };
  const found = await schedule.occupied({ clinicId, ...window }, (occupied) => {
    expect(occupied.blocks.length).toBeGreaterThan(0);
    expect(occupied.busy.count).toBeGreaterThan(10);
    return findSlots(search, place, occupied, now);
  });
  expect(found?.outcome === 'found' && found.slots.length).toBeGreaterThan(50);

  const days = { clinicId, ...countWindow(timezone, range) };
  const counts = countByDay(timezone, range, await Array.fromAsync(schedule.appointmentStarts(days)));
  expect(counts).toHaveLength(14);
  expect(counts.reduce((sum, { byStatus }) => sum + byStatus.SCHEDULED, 0)).toBeGreaterThan(10);
  await door.close();
});
