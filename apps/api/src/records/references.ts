import { type Issue, validationError } from '@chairside/domain';
import type { OrganizationStore } from '@chairside/mongodb';
import { missingReference } from '../http/further-issues.ts';

/** The issue of an `_id` in a body that is not that of the record. */
export const OTHER_ID: Issue = { path: '_id', message: 'must be the _id of the record', code: 'read_only' };

/** @throws {Refusal} ValidationError if a body has the `_id` of another record */
export const requireSameId = (current: { _id: string }, _id: string | undefined): void => {
  if (_id !== undefined && _id !== current._id) throw validationError([OTHER_ID]);
};

/** The issue of a body that names the patient in both ways. */
export const patientNameIssues = (sent: { patientId?: unknown; patientExternalId?: unknown }): Issue[] =>
  sent.patientId === undefined || sent.patientExternalId === undefined
    ? []
    : [{ path: 'patientExternalId', message: 'must not be sent with patientId' }];

/**
 * What a caller sent, with the `_id` of the patient instead of the external id. The fields have no `patientId` if there is
 * an issue.
 */
export const withPatientId = async <
  F extends { patientId?: string | null | undefined; patientExternalId?: string | null | undefined },
>(
  { patients }: Pick<OrganizationStore, 'patients'>,
  { patientExternalId, ...sent }: F,
): Promise<{ sent: Omit<F, 'patientExternalId'>; issues: Issue[] }> => {
  if (patientExternalId === undefined) return { sent, issues: [] };
  const issues = patientNameIssues({ ...sent, patientExternalId });
  if (issues.length > 0) return { sent, issues };
  const patientId = patientExternalId === null ? null : await patients.idOf(patientExternalId);
  if (patientId === undefined) return { sent, issues: [missingReference('patientExternalId', 'patient')] };
  return { sent: { ...sent, patientId }, issues: [] };
};

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

/**
 * The issues of clinics that are not in the organization.
 *
 * @param path the field that names the clinics
 */
export const clinicIssues = async (
  { clinics }: Pick<OrganizationStore, 'clinics'>,
  path: string,
  ids: readonly string[],
): Promise<Issue[]> => {
  if (ids.length === 0) return [];
  const found = await Array.fromAsync(clinics.page({ ids }, { limit: ids.length }, ['_id']).rows);
  const known = new Set(found.map(({ record }) => record._id));
  const message = 'must be the id of a clinic in your organization';
  return ids.flatMap((id, index) =>
    known.has(id)
      ? []
      : [{ path: path === 'clinicIds' ? `${path}.${index}` : path, message, code: 'not_found' as const }],
  );
};

/** @throws {Refusal} ValidationError if one of the `clinicIds` is not a clinic of the organization */
export const requireClinics = async (
  store: Pick<OrganizationStore, 'clinics'>,
  clinicIds: readonly string[],
): Promise<void> => {
  const issues = await clinicIssues(store, 'clinicIds', clinicIds);
  if (issues.length > 0) throw validationError(issues);
};
