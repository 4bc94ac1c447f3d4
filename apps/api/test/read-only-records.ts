import { newId } from '@chairside/domain';
import type { Practice } from '@chairside/test-support';

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
