import { type Issue, validationError } from '@chairside/domain';
import type { OrganizationStore } from '@chairside/mongodb';
import { missingReference } from '../http/further-issues.ts';

/**
 * Refuses a record that refers to a clinic, a patient or a provider outside its organization. The message is the same for a
 * missing id and for an id of another organization, so that it does not reveal which ids exist.
 *
 * @param others further issues of the record, which are reported with these
 * @throws {Refusal} ValidationError with all issues
 */
export const requireReferences = async (
  store: Pick<OrganizationStore, 'clinics' | 'patients' | 'providers'>,
  {
    clinicId,
    patientId,
    providerId,
  }: {
    clinicId?: string | undefined;
    patientId?: string | null | undefined;
    providerId?: string | null | undefined;
  },
  others: readonly Issue[] = [],
): Promise<void> => {
  const [clinicExists, patientExists, providerExists] = await Promise.all([
    clinicId === undefined || store.clinics.exists(clinicId),
    patientId == null || store.patients.exists(patientId),
    providerId == null || store.providers.find(providerId),
  ]);
  const issues = [
    ...(clinicExists ? [] : [missingReference('clinicId', 'clinic')]),
    ...(patientExists ? [] : [missingReference('patientId', 'patient')]),
    ...(providerExists ? [] : [missingReference('providerId', 'provider')]),
    ...others,
  ];
  if (issues.length > 0) throw validationError(issues);
};
