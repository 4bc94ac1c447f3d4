import { newId, openingHoursSchema } from '@chairside/domain';
import type { Practice, TestStore } from '@chairside/test-support';

/** A clinic with a chair that is open on Mondays. */
export const OPEN_MONDAYS = openingHoursSchema.parse({
  weekdays: { monday: [{ opens: '08:00', closes: '16:00' }] },
});

/** Stores a provider, a procedure, a calendar block and opening hours like an import. */
export const createSettings = async (
  database: TestStore['database'],
  { store, organizationId, clinicIds: [clinicId] }: Practice,
) => {
  const [providerId, procedureId, calendarBlockId] = [newId(), newId(), newId()];
  const plant = (collection: string, document: { _id: string } & Record<string, unknown>) =>
    database
      .collection<{ _id: string; organizationId: string }>(collection)
      .insertOne({ organizationId, ...document });
  await plant('providers', { _id: providerId, name: 'Dr. Ines Albers', clinicIds: [clinicId] });
  const procedure = { name: 'Check-up', price: '80.00', currency: 'EUR', durationMinutes: 30 };
  await plant('procedures', { _id: procedureId, ...procedure, bookable: true });
  await plant('calendarBlocks', {
    _id: calendarBlockId,
    clinicId,
    providerId,
    startTime: new Date('2030-12-24T00:00:00Z'),
    endTime: new Date('2030-12-27T00:00:00Z'),
    kind: 'HOLIDAY',
  });
  await store.openingHours.set(clinicId, OPEN_MONDAYS);
  return { clinicId, providerId, procedureId, calendarBlockId };
};

/** Stores an invoice, a payment and a treatment like an import. */
export const createReadOnlyRecords = async (
  { store, clinicIds: [clinicId] }: Practice,
  patientId: string,
) => {
  const time = new Date().toISOString();
  const common = { clinicId, patientId, currency: 'EUR', creationTime: time, lastEditTime: time };
  const [invoiceId, paymentId, treatmentId] = [newId(), newId(), newId()];
  await store.invoices.create({ ...common, _id: invoiceId, number: 7, total: 12.5, status: 'OPEN' });
  await store.payments.create({
    ...common,
    _id: paymentId,
    amount: 12.5,
    method: 'CARD',
    status: 'COMPLETED',
  });
  await store.treatments.create({
    ...common,
    _id: treatmentId,
    procedureId: 'p',
    name: 'Filling',
    teeth: ['11'],
    surfaces: ['O'],
    status: 'COMPLETED',
    price: '12.50',
  });
  return { clinicId, invoiceId, paymentId, treatmentId };
};
