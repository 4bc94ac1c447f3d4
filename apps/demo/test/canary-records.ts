/** A text that occurs nowhere else. */
export const CANARY = 'kanarienvogel';
/** Another one, which is only in what the database must not show. */
export const SEALED_CANARY = 'paradiesvogel';
export const patient = {
  name: `${CANARY} ${SEALED_CANARY} name`,
  email: `${SEALED_CANARY}.${CANARY}@example.com`,
  phone: `${CANARY} ${SEALED_CANARY} phone 7070 8080 9090`,
  language: `${CANARY} ${SEALED_CANARY} language`,
};
export const appointment = {
  startTime: '2031-01-01T10:00:00Z',
  endTime: '2031-01-01T11:00:00Z',
  procedures: [{ procedureId: `${CANARY}-p`, name: `${CANARY} procedure`, price: `${CANARY} price` }],
  reminders: [{ [`${CANARY} ${SEALED_CANARY} key`]: `${CANARY} ${SEALED_CANARY} reminder` }],
};

export const KINDS = ['patient', 'appointment', 'invoice', 'payment', 'treatment'] as const;
/** The kinds of settings, and their collections. */
export const SETTINGS = {
  provider: 'providers',
  procedure: 'procedures',
  'calendar-block': 'calendarBlocks',
} as const;
/** An import line of each kind of setting. The texts of a block are not stored. */
export const settingLinesOf = (clinicId: string): Record<keyof typeof SETTINGS, object> => {
  const procedure = { name: `${CANARY} procedure`, code: `${CANARY} code`, durationMinutes: 30 };
  const times = { startTime: '2031-01-01T00:00:00Z', endTime: '2031-01-02T00:00:00Z' };
  const texts = { title: `${CANARY} title`, notes: `${CANARY} notes` };
  return {
    provider: { externalId: `${CANARY}-7`, name: `${CANARY} provider`, clinicIds: [clinicId] },
    procedure: { externalId: `${CANARY}-8`, ...procedure },
    'calendar-block': { externalId: `${CANARY}-9`, clinicId, ...times, kind: 'CLOSED', ...texts },
  };
};

/** An import line of each kind, with a canary in every field of free text. */
export const linesOf = (clinicId: string): Record<(typeof KINDS)[number], object> => {
  const own = { clinicId, patientId: `${CANARY}-${SEALED_CANARY}-1` };
  const money = { ...own, currency: 'EUR', creationTime: '2030-01-01T00:00:00Z' };
  return {
    patient: { externalId: `${CANARY}-${SEALED_CANARY}-1`, clinicId, ...patient },
    appointment: { externalId: `${CANARY}-${SEALED_CANARY}-2`, ...own, ...appointment },
    invoice: {
      externalId: `${CANARY}-${SEALED_CANARY}-3`,
      ...money,
      number: `${CANARY} number`,
      total: 1,
      status: 'OPEN',
    },
    payment: {
      externalId: `${CANARY}-${SEALED_CANARY}-4`,
      ...money,
      invoiceId: `${CANARY}-${SEALED_CANARY}-3`,
      amount: 1,
      method: 'CASH',
      status: 'COMPLETED',
    },
    treatment: {
      externalId: `${CANARY}-${SEALED_CANARY}-5`,
      ...money,
      appointmentId: `${CANARY}-${SEALED_CANARY}-2`,
      providerId: `${CANARY} provider`,
      procedureId: `${CANARY}-p`,
      procedureCode: `${CANARY} code`,
      name: `${CANARY} treatment`,
      teeth: ['11'],
      surfaces: ['O'],
      status: 'PLANNED',
      notes: `${CANARY} ${SEALED_CANARY} notes`,
      price: `${CANARY} price`,
    },
  };
};
