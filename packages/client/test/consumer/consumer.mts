import {
  Chairside,
  ChairsideError,
  type ChairsideEvent,
  type CreatePatient,
  type ErrorName,
  type List,
  type Patient,
} from '@chairside/client';

declare const env: Record<string, string | undefined>;

const chairside = new Chairside({ baseUrl: env.URL, apiKey: env.KEY, retry: { maxAttempts: 2 }, timeout: 5 });
const fields: CreatePatient = { clinicId: 'c', name: 'n', email: null };

export async function use(): Promise<string | undefined> {
  const patient: Patient = await chairside.patients.create(fields, { idempotencyKey: 'k' });
  const { data, response } = await chairside.patients.get(patient._id).withResponse();
  await chairside.patients.update(data._id, { phone: null }, { ifMatch: response.etag });
  await chairside.patients.edit(data._id, ({ name }) => ({ name: `${name}!` }), { maxAttempts: 2 });
  const list: List<Patient> = chairside.patients.list(
    { clinicId: 'c', updatedSince: new Date() },
    { pageSize: 10 },
  );
  for await (const { name, lastEditTime } of list) name?.concat(lastEditTime);
  const [selected] = await chairside.patients.list({ fields: ['name'] }).toArray();
  // @ts-expect-error the field was not selected
  selected?.email;
  const { token } = await Chairside.signIn({ baseUrl: env.URL, email: 'e', password: 'p' });
  const operator = new Chairside({ baseUrl: 'https://example.com', accessToken: token });
  for await (const { outcome } of operator.webhookDeliveries.list({ webhookSubscriptionId: 's' })) {
    if (outcome === 'failed') return outcome;
  }
  return selected?.name;
}

export function describe(event: ChairsideEvent): string | undefined {
  switch (event.event) {
    case 'patient.created':
      return event.data.name;
    case 'appointment.updated':
      return event.data.procedures[0]?.name;
    case 'invoice.paid':
      return event.data.total.toFixed(2);
    default:
      // @ts-expect-error not every other kind has this field
      return event.data.method;
  }
}

use().catch((error: unknown) => {
  if (!(error instanceof ChairsideError)) throw error;
  const name: ErrorName = error.name;
  return [
    name,
    error.status?.toFixed(),
    error.retryAfter,
    error.issues[0]?.path,
    error.details.requiredScope,
  ];
});

// @ts-expect-error only one credential is allowed
new Chairside({ baseUrl: 'https://example.com', apiKey: 'a', accessToken: 'b' });
// @ts-expect-error a credential is required
new Chairside({ baseUrl: 'https://example.com' });
// @ts-expect-error `clinicId` is required
chairside.patients.create({ name: 'n' });
// @ts-expect-error this is a filter of another list
chairside.patients.list({ patientId: 'p' });
// @ts-expect-error this status does not exist
chairside.appointments.update('a', { status: 'DONE' });
