/** The name of the field for patients, which takes an e-mail address over. */
export const PATIENT_FIELD = 'E-mail or id of the patient';
