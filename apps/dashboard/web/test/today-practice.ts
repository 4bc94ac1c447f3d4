import type { Product } from './product.ts';

const HOUR_MS = 60 * 60_000;

/** A zone in which it is about this hour now, so that no day ends during a test. */
export const zoneAt = (hour: number): string => {
  const offset = hour - new Date().getUTCHours();
  const hours = offset > 12 ? offset - 24 : offset < -12 ? offset + 24 : offset;
  // The signs of these zones are those of POSIX: behind UTC is positive.
  if (hours === 0) return 'Etc/GMT';
  return `Etc/GMT${hours > 0 ? '-' : '+'}${Math.abs(hours)}`;
};

/** The day in a zone of {@link zoneAt}, and the moment of a local time on it. */
export const dayIn = (zone: string) => {
  const [, sign = '+', hours = '0'] = /([+-])(\d+)$/.exec(zone) ?? [];
  const offset = Number(hours) * HOUR_MS * (sign === '-' ? 1 : -1);
  const day = new Date(Date.now() + offset).toISOString().slice(0, 10);
  return {
    day,
    dayAfter: (count: number): string =>
      new Date(Date.parse(`${day}T00:00Z`) + count * 24 * HOUR_MS).toISOString().slice(0, 10),
    /** @param days after this day */
    at: (time: string, days = 0): string =>
      new Date(Date.parse(`${day}T${time}Z`) - offset + days * 24 * HOUR_MS).toISOString(),
  };
};

/** Opening hours of each day of a week. */
export const everyDay = (intervals: readonly { opens: string; closes: string }[]) => ({
  monday: intervals,
  tuesday: intervals,
  wednesday: intervals,
  thursday: intervals,
  friday: intervals,
  saturday: intervals,
  sunday: intervals,
});

/** Functions that create things of the practice of a product. */
export const creator = ({ service }: Product) => {
  const { clinicIds, administrator } = service.practice;
  const [clinicId] = clinicIds;
  const create = async (path: string, fields: object): Promise<string> => {
    const { status, json } = await service.call('POST', path, fields, `Token ${administrator.token}`);
    if (status !== 200) throw new Error(`${path}: ${JSON.stringify(json)}`);
    return String(json._id);
  };
  return {
    clinicId,
    create,
    provider: (name: string, ids: readonly string[] = [clinicId]) =>
      create('/api/providers', { name, clinicIds: ids }),
    procedure: (name: string) => create('/api/procedures', { name, durationMinutes: 30, bookable: true }),
    patient: (name: string, phone?: string) => create('/api/patients', { clinicId, name, phone }),
    block: (startTime: string, endTime: string, kind: string, providerId?: string, of = clinicId) =>
      create('/api/calendarblocks', { clinicId: of, startTime, endTime, kind, providerId }),
    setHours: (hours: object, of = clinicId) =>
      service.call('PUT', `/api/clinics/${of}/openinghours`, hours, `Token ${administrator.token}`),
    setZone: (timezone: string | undefined, of = clinicId) =>
      service.database
        .collection<{ _id: string }>('clinics')
        .updateOne(
          { _id: of },
          timezone === undefined ? { $unset: { timezone: 1 } } : { $set: { timezone } },
        ),
  };
};
