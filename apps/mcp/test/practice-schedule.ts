import { readImportLine, readOpeningHours, readSettingLine, type SettingKind } from '@chairside/domain';
import type { Practice, TestStore } from '@chairside/test-support';

/** A text that occurs nowhere else, in upper or lower case. */
export const CANARY = 'kanarienvogel';

/** A Monday in the future. The calendar blocks and appointments of {@link plantSchedule} are on this day. */
export const MONDAY = '2031-06-02';
const at = (time: string): string => `${MONDAY}T${time}:00.000Z`;

/** Import lines of the records of a patient, with a canary in their texts. */
const recordLines = (clinicId: string, otherClinicId: string) => {
  const own = { clinicId, patientId: `${CANARY}-p` };
  const money = { ...own, currency: 'EUR', creationTime: '2030-01-01T00:00:00Z' };
  const visit = (externalId: string, startTime: string, endTime: string, status?: string) => ({
    externalId: `${CANARY}-${externalId}`,
    ...own,
    startTime,
    endTime,
    ...(status !== undefined && { status }),
    procedures: [{ procedureId: `${CANARY}-q`, name: `${CANARY} procedure`, price: `${CANARY} price` }],
    reminders: [{ [`${CANARY} key`]: `${CANARY} reminder` }],
  });
  return {
    patient: [
      {
        externalId: `${CANARY}-p`,
        clinicId,
        name: `${CANARY} name`,
        email: `${CANARY}@example.com`,
        phone: `${CANARY} phone`,
        language: `${CANARY} language`,
      },
    ],
    appointment: [
      visit('a1', at('08:00'), at('09:00')),
      visit('a2', at('10:00'), at('10:30'), 'NO_SHOW'),
      // The provider is at the other clinic.
      { ...visit('a3', at('13:30'), at('14:00')), clinicId: otherClinicId, providerId: `${CANARY}-d` },
    ],
    invoice: [{ externalId: `${CANARY}-i`, ...money, number: `${CANARY} number`, total: 1, status: 'OPEN' }],
    payment: [
      {
        externalId: `${CANARY}-m`,
        ...money,
        invoiceId: `${CANARY}-i`,
        amount: 1,
        method: 'CASH',
        status: 'COMPLETED',
      },
    ],
    treatment: [
      {
        externalId: `${CANARY}-t`,
        ...money,
        appointmentId: `${CANARY}-a1`,
        providerId: `${CANARY} provider`,
        procedureId: `${CANARY}-q`,
        procedureCode: `${CANARY} code`,
        name: `${CANARY} treatment`,
        teeth: ['11'],
        surfaces: ['O'],
        status: 'PLANNED',
        notes: `${CANARY} notes`,
        price: `${CANARY} price`,
      },
    ],
  } as const;
};

/** Import lines of settings that an assistant may see, with a canary in the texts that it may not see. */
const settingLines = (clinicIds: readonly string[]): [SettingKind, object[]][] => [
  ['provider', [{ externalId: `${CANARY}-d`, name: 'Dr. Ines Albers', clinicIds }]],
  [
    'procedure',
    [
      {
        externalId: `${CANARY}-c`,
        name: 'Check-up (50 %)',
        code: 'A.1',
        price: '80.00',
        currency: 'EUR',
        durationMinutes: 30,
      },
      {
        externalId: `${CANARY}-w`,
        name: 'Crown',
        durationMinutes: 90,
        bookable: false,
        clinicIds: clinicIds.slice(1),
      },
    ],
  ],
  [
    'calendar-block',
    [
      {
        externalId: `${CANARY}-b`,
        clinicId: clinicIds[0],
        startTime: at('11:00'),
        endTime: at('12:00'),
        kind: 'MEETING',
        title: `${CANARY} title`,
        notes: `${CANARY} notes`,
      },
      {
        externalId: `${CANARY}-h`,
        clinicId: clinicIds[0],
        providerId: `${CANARY}-d`,
        startTime: at('14:00'),
        endTime: at('15:00'),
        kind: 'HOLIDAY',
      },
    ],
  ],
];

/** The ids that the tools take as arguments. */
export type ScheduleIds = {
  clinicId: string;
  otherClinicId: string;
  providerId: string;
  /** A procedure that all clinics offer. */
  procedureId: string;
  /** A procedure that only the second clinic offers. */
  crownId: string;
};

/**
 * Imports providers, procedures, calendar blocks and the records of a patient with canaries, and sets opening hours.
 * The clinics of the practice are in UTC, open on Mondays from 08:00 to 16:00, with one chair and slots of 30 minutes.
 */
export const plantSchedule = async (
  { store: { everyOrganization }, database }: TestStore,
  { organizationId, clinicIds, store }: Practice,
): Promise<ScheduleIds> => {
  const importer = everyOrganization.administration.importer({ id: 'test', organizationId, by: 'test' });
  for (const [kind, settings] of settingLines(clinicIds)) {
    const lines = settings.map((setting, index) => {
      const read = readSettingLine(kind, setting);
      if ('issues' in read) throw new Error(JSON.stringify(read.issues));
      return { number: index + 1, line: read.line };
    });
    const { refused } = await importer.writeSettings(kind, lines);
    if (refused.length > 0) throw new Error(JSON.stringify(refused));
  }
  for (const [kind, records] of Object.entries(recordLines(...clinicIds))) {
    const lines = records.map((record, index) => {
      const read = readImportLine(kind as 'patient', record);
      if ('issues' in read) throw new Error(`${kind}: ${JSON.stringify(read.issues)}`);
      return { number: index + 1, line: read.line };
    });
    const { refused } = await importer.write(kind as 'patient', lines, 'changes');
    if (refused.length > 0) throw new Error(`${kind}: ${JSON.stringify(refused)}`);
  }
  const read = readOpeningHours({
    weekdays: { monday: [{ opens: '08:00', closes: '16:00' }] },
    slotMinutes: 30,
  });
  if ('issues' in read) throw new Error(JSON.stringify(read.issues));
  for (const clinicId of clinicIds) await store.openingHours.set(clinicId, read.hours);
  const idOf = async (collection: string, name: string) =>
    (await database.collection(collection).findOne({ organizationId, name }))?._id ?? '';
  return {
    clinicId: clinicIds[0],
    otherClinicId: clinicIds[1],
    providerId: await idOf('providers', 'Dr. Ines Albers'),
    procedureId: await idOf('procedures', 'Check-up (50 %)'),
    crownId: await idOf('procedures', 'Crown'),
  };
};
