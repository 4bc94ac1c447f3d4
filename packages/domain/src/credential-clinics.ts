import { listOf } from './list.ts';
import { id } from './text.ts';

/** The maximum number of clinics that an API key or a program token names. */
export const MAX_CREDENTIAL_CLINICS = 100;

/** The clinics that a key or token is for, in a request. */
export const credentialClinics = listOf(id, MAX_CREDENTIAL_CLINICS, 'must be an array of the ids of clinics')
  .refine((ids) => ids.length > 0, 'must name a clinic; leave it out for all clinics')
  .overwrite((ids) => [...new Set(ids)]);
