/**
 * The fields of `data` that the payload `ids` has, as far as the record has them. `subscriptionId` is in the data of a test,
 * which is the same with both payloads.
 */
const ID_FIELDS = [
  '_id',
  'clinicId',
  'lastEditTime',
  'patientId',
  'appointmentId',
  'invoiceId',
  'externalId',
  'subscriptionId',
];

/**
 * The body of a webhook with the payload `ids`. It is the same text each time for the same event.
 *
 * @param body the body with the payload `full`
 */
export const idsOnly = (body: string): string => {
  const whole = JSON.parse(body) as { data: Record<string, unknown> };
  const ids = Object.entries(whole.data).filter(([field]) => ID_FIELDS.includes(field));
  return JSON.stringify({ ...whole, data: Object.fromEntries(ids) });
};
