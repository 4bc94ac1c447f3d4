import type { CalendarBlock, Clinic } from '@chairside/client';
import { queryOptions } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { isGone, UnusableInput } from '../../api/problems.ts';
import { readHours, type StoredHours } from '../../clinics/stored-hours.ts';
import { Dismissed, withPrompts } from '../../session/prompts.ts';
import type { Part, Plan, Settings } from './applying.ts';
import { type Booked, readBooked } from './booked.ts';
import { type Closing, closingOfBlock, closingOfHours } from './closing.ts';
import { saveHours, undoHours } from './requests.ts';

/** The most requests at once: those that a browser sends at once to one host. */
const AT_ONCE = 6;

const inTurns = async <T, R>(values: readonly T[], of: (value: T) => Promise<R>): Promise<R[]> => {
  const results: R[] = [];
  for (let from = 0; from < values.length; from += AT_ONCE)
    results.push(...(await Promise.all(values.slice(from, from + AT_ONCE).map(of))));
  return results;
};

/** The hours, and the coming blocks of the whole clinic, of all clinics. */
export const settingsQuery = (clinics: readonly Clinic[]) =>
  queryOptions({
    queryKey: ['schedule', 'settings of clinics', clinics.map(({ _id }) => _id)],
    async queryFn({ signal }): Promise<Settings[]> {
      const filter = { startTime: new Date() };
      const [hours, blocks] = await Promise.all([
        inTurns(clinics, ({ _id }) => withPrompts(() => readHours(_id, signal))),
        withPrompts(() => api.calendarBlocks.list(filter, { signal }).toArray()),
      ]);
      const ofClinic =
        (id: string) =>
        ({ clinicId, providerId }: CalendarBlock) =>
          clinicId === id && !providerId;
      return clinics.map((clinic, index) => ({
        clinic,
        stored: hours[index] as StoredHours,
        blocks: blocks.filter(ofClinic(clinic._id)),
      }));
    },
    staleTime: 0,
    gcTime: 0,
    refetchOnWindowFocus: false,
  });

/** A plan for a clinic. */
export type Target = { settings: Settings; plan: Plan };

const closingsOf = ({ settings: { clinic, stored }, plan }: Target): Closing[] => {
  const now = Date.now();
  const place = { clinicId: clinic._id, timeZone: clinic.timezone };
  const ofHours = plan.hours && closingOfHours(place, stored.hours, plan.hours, { now });
  return [ofHours, ...plan.blocks.map((block) => closingOfBlock(block, undefined, { now }))].filter(
    (closing) => closing !== undefined,
  );
};

/** The booked patients of a clinic in all times that plans close. An appointment counts once. */
const bookedAt = async (target: Target, signal?: AbortSignal): Promise<Booked> => {
  const all = await inTurns(closingsOf(target), (closing) => readBooked(closing, signal));
  const appointments = new Map(all.flatMap((each) => each.appointments.map((one) => [one._id, one])));
  return {
    appointments: [...appointments.values()].sort((one, other) =>
      (one.startTime ?? '') < (other.startTime ?? '') ? -1 : 1,
    ),
    people: new Map(all.flatMap(({ people }) => [...people])),
    checkedUntil: all.find(({ checkedUntil }) => checkedUntil !== undefined)?.checkedUntil,
  };
};

/** Who is booked at each clinic in the times that close there, by the ids of the clinics. */
export const readBookedAt = async (
  targets: readonly Target[],
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, Booked>> => {
  const found = await inTurns(targets, (target) => bookedAt(target, signal));
  return new Map(targets.map(({ settings }, index) => [settings.clinic._id, found[index] as Booked]));
};

/** @param settingsReadAt when the settings were read, in milliseconds since the epoch */
export const bookedAtQuery = (
  targets: readonly Target[] | undefined,
  parts: ReadonlySet<Part>,
  settingsReadAt: number,
) =>
  queryOptions({
    queryKey: ['schedule', 'booked at clinics', [...parts].sort(), settingsReadAt],
    queryFn: ({ signal }) => readBookedAt(targets ?? [], signal),
    enabled: targets !== undefined,
    staleTime: 0,
    gcTime: 0,
    refetchOnWindowFocus: false,
  });

/** What was applied at a clinic. */
export type Applied = { target: Target; saved: StoredHours | undefined; blockIds: string[] };

/** What has become of the clinics. `failure` is why those after them were not tried. */
export type Outcome = { applied: Applied[]; changed: Clinic[]; failure?: unknown };

/**
 * Applies plans one clinic after the other. A clinic whose hours somebody else has changed since they were read stays as it
 * is. After a failure, no further clinic is tried.
 */
export const applyPlans = async (targets: readonly Target[]): Promise<Outcome> => {
  const applied: Applied[] = [];
  const changed: Clinic[] = [];
  for (const target of targets) {
    const { settings, plan } = target;
    const result: Applied = { target, saved: undefined, blockIds: [] };
    try {
      if (plan.hours !== undefined) {
        const saving = await saveHours(settings.clinic._id, plan.hours, settings.stored);
        if ('theirs' in saving) {
          changed.push(settings.clinic);
          continue;
        }
        result.saved = saving.saved;
      }
      applied.push(result);
      for (const block of plan.blocks)
        result.blockIds.push((await withPrompts(() => api.calendarBlocks.create(block)))._id);
    } catch (failure) {
      if (failure instanceof Dismissed && applied.length === 0) throw failure;
      return { applied, changed, failure };
    }
  }
  return { applied, changed };
};

const deleteBlock = async (id: string): Promise<void> => {
  try {
    await withPrompts(() => api.calendarBlocks.delete(id));
  } catch (error) {
    if (!isGone(error)) throw error;
  }
};

/**
 * Undoes what was applied, at all clinics. First hours cannot be taken away again.
 *
 * @throws {UnusableInput} naming the clinics whose hours somebody else has changed since; the others are undone
 */
export const undoApplied = async (applied: readonly Applied[]): Promise<void> => {
  const kept: string[] = [];
  for (const { target, saved, blockIds } of applied) {
    const { clinic, stored } = target.settings;
    for (const id of blockIds) await deleteBlock(id);
    if (saved === undefined || stored.hours === undefined) continue;
    try {
      await undoHours(clinic._id, stored.hours, saved);
    } catch (error) {
      if (!(error instanceof UnusableInput)) throw error;
      kept.push(clinic.name ?? clinic._id);
    }
  }
  if (kept.length > 0)
    throw new UnusableInput(
      `Undone, but not the hours of ${kept.join(', ')}: somebody else has changed them since.`,
    );
};
