import { readOpeningHours, readSettingLine, type SettingKind } from '@chairside/domain';
import type { OrganizationStore } from '@chairside/mongodb';
import type { Importer } from '@chairside/mongodb/administration';
import { CLINICS, PROCEDURES } from './records.ts';

const DAY = 86_400_000;

const PROVIDERS = [
  { externalId: 'albers', name: 'Dr. Ines Albers', clinicIds: [...CLINICS] },
  { externalId: 'costa', name: 'Dr. Hugo Costa', clinicIds: [CLINICS[0]] },
  { externalId: 'egger', name: 'Greta Egger, dental hygienist', clinicIds: [CLINICS[1]] },
];

/** Describes the settings of {@link importSettings}. */
export const SETTINGS = `opening hours, ${PROVIDERS.length} providers, ${PROCEDURES.length} procedures, calendar blocks`;

const procedures = (): object[] =>
  PROCEDURES.map(({ procedureId, name, cents, minutes }) => ({
    externalId: procedureId,
    name,
    price: (cents / 100).toFixed(2),
    currency: 'EUR',
    durationMinutes: minutes,
    bookable: procedureId !== 'crown',
  }));

/** The beginning of the day in UTC that is this many days after today. */
const dayAfter = (now: number, days: number): number => (Math.floor(now / DAY) + days) * DAY;
const at = (day: number, hour: number): string => new Date(day + hour * 3_600_000).toISOString();

const blocks = (now: number): object[] => [
  ...CLINICS.map((clinicId) => ({
    externalId: `team-${clinicId}`,
    clinicId,
    startTime: at(dayAfter(now, 2), 11),
    endTime: at(dayAfter(now, 2), 12),
    kind: 'MEETING',
  })),
  {
    externalId: 'x-ray',
    clinicId: CLINICS[1],
    startTime: at(dayAfter(now, 5), 7),
    endTime: at(dayAfter(now, 5), 9),
    kind: 'MAINTENANCE',
  },
  {
    externalId: 'holiday-albers',
    clinicId: CLINICS[0],
    providerId: 'albers',
    startTime: at(dayAfter(now, 7), 0),
    endTime: at(dayAfter(now, 14), 0),
    kind: 'HOLIDAY',
  },
];

/** Opening hours in local time: from Monday to Friday, on Friday only in the morning, and closed on one date. */
const hoursOf = (now: number) => {
  const whole = [
    { opens: '08:00', closes: '12:30' },
    { opens: '13:30', closes: '18:00' },
  ];
  return {
    weekdays: { monday: whole, tuesday: whole, wednesday: whole, thursday: whole, friday: whole.slice(0, 1) },
    exceptions: [{ date: at(dayAfter(now, 10), 0).slice(0, 10), intervals: [] }],
    chairs: 4,
    slotMinutes: 15,
  };
};

/**
 * Imports a practice's settings like `chairside-admin import` and `clinic hours set`.
 *
 * @param clinicIds the ids of the clinics
 * @throws {Error} if a line is refused: the demo's own lines must be valid
 */
export const importSettings = async (
  importer: Importer,
  { openingHours }: Pick<OrganizationStore, 'openingHours'>,
  clinicIds: readonly string[],
  today: Date,
): Promise<void> => {
  const now = today.getTime();
  const loads: [SettingKind, object[]][] = [
    ['provider', PROVIDERS],
    ['procedure', procedures()],
    ['calendar-block', blocks(now)],
  ];
  for (const [kind, settings] of loads) {
    const lines = settings.map((setting, index) => {
      const read = readSettingLine(kind, setting);
      if ('issues' in read) throw new Error(`demo ${kind}: ${JSON.stringify(read.issues)}`);
      return { number: index + 1, line: read.line };
    });
    const { refused } = await importer.writeSettings(kind, lines);
    if (refused.length > 0) throw new Error(`demo ${kind}: ${JSON.stringify(refused)}`);
  }
  const read = readOpeningHours(hoursOf(now));
  if ('issues' in read) throw new Error(`demo hours: ${JSON.stringify(read.issues)}`);
  for (const clinicId of clinicIds) await openingHours.set(clinicId, read.hours);
};
