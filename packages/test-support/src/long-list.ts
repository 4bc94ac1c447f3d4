import type { Practice } from './practice.ts';
import { sealedDocument } from './sealed-documents.ts';
import type { TestStore } from './test-store.ts';

/**
 * Stores treatments, so that `GET /api/treatments` is longer than buffers hold.
 *
 * @param list.nameLength the length of the name of each, in characters
 */
export const plantTreatments = async (
  { practice, store, database }: Pick<TestStore, 'store' | 'database'> & { practice: Practice },
  { rows, nameLength }: { rows: number; nameLength: number },
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
    name: 'x'.repeat(nameLength),
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
