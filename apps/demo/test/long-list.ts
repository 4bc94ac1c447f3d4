import { sealedDocument, type WholeService } from '@chairside/test-support';

/** Stores treatments of 2.4 kB each: `GET /api/treatments` is then longer than the buffers of the connections hold. */
export const plantTreatments = async (
  { practice, store, database }: WholeService,
  rows: number,
): Promise<void> => {
  const { organizationId, clinicIds } = practice;
  const now = new Date();
  const cipher = await store.ciphers.of(organizationId);
  const treatmentOf = (index: number) => ({
    _id: `treatment-${String(index).padStart(6, '0')}`,
    organizationId,
    clinicId: clinicIds[0],
    patientId: 'p',
    procedureId: 'p',
    name: 'x'.repeat(2400),
    teeth: [],
    surfaces: [],
    status: 'PLANNED',
    price: 1,
    currency: 'EUR',
    revision: 1,
    creationTime: now,
    lastEditTime: now,
  });
  await database
    .collection('treatments')
    .insertMany(
      Array.from({ length: rows }, (_, index) => sealedDocument('treatments', treatmentOf(index), cipher)),
    );
};
