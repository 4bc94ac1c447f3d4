import type { ChairsideError } from './errors.ts';
import type { components, operations } from './schema.ts';

/*
 * The public names of the types. The types of records are interfaces, so that an editor shows `Patient` instead of the
 * path into the generated types.
 */

type Schema<Name extends keyof components['schemas']> = components['schemas'][Name];
type Write = Schema<'Batch'>['writes'][number];

/** The names of query parameters that are times. */
type TimeName = 'startTime' | 'endTime' | 'updatedSince' | 'since' | 'until';
type QueryOf<Operation extends keyof operations> = NonNullable<operations[Operation]['parameters']['query']>;
/** The type of a filter's value. A filter that accepts several names also accepts a single one. */
type Value<Name, Given> = Name extends TimeName
  ? string | Date
  : Given extends readonly (infer One)[]
    ? One | readonly One[]
    : Given;
/** The filters of a list: the query parameters of the operation, except those for pagination and fields. */
type FilterOf<Operation extends keyof operations> = {
  [Name in keyof QueryOf<Operation> as Exclude<Name, 'limit' | 'cursor' | 'fields'>]?:
    | Value<Name, NonNullable<QueryOf<Operation>[Name]>>
    | undefined;
};

/**
 * A patient of a clinic.
 *
 * @example
 * const nameOf = (patient: Patient) => patient.name ?? 'no name';
 */
export interface Patient extends Schema<'Patient'> {}

/**
 * The fields of a new patient.
 *
 * @example
 * const patient: CreatePatient = { clinicId: 'cli_1', name: 'Ada Beispiel' };
 */
export interface CreatePatient extends Schema<'PatientCreate'> {}

/**
 * Changes of a patient. An absent field stays as it is; `null` clears a field.
 *
 * @example
 * const withoutPhone: UpdatePatient = { phone: null };
 */
export interface UpdatePatient extends Schema<'PatientUpdate'> {}

/**
 * What is stored about one patient, and who has read the patient.
 *
 * @example
 * const readers = ({ reads }: PatientExport) => new Set(reads.map(({ principal }) => principal.id));
 */
export interface PatientExport extends Schema<'PatientExport'> {}

/**
 * An appointment at a clinic.
 *
 * @example
 * const isOver = ({ endTime }: Appointment) => endTime !== undefined && new Date(endTime) < new Date();
 */
export interface Appointment extends Schema<'Appointment'> {}

/**
 * The fields of a new appointment.
 *
 * @example
 * const appointment: CreateAppointment = {
 *   clinicId: 'cli_1',
 *   startTime: '2030-01-31T09:30:00Z',
 *   endTime: '2030-01-31T10:00:00Z',
 * };
 */
export interface CreateAppointment extends Schema<'AppointmentCreate'> {}

/**
 * Changes of an appointment. An absent field stays as it is; `null` clears a field.
 *
 * @example
 * const canceled: UpdateAppointment = { status: 'CANCELED' };
 */
export interface UpdateAppointment extends Schema<'AppointmentUpdate'> {}

/**
 * A write of a batch. A creation has its external id in its body; the other methods name their record.
 *
 * @example
 * const write: BatchWrite = {
 *   method: 'upsert',
 *   kind: 'patient',
 *   externalId: 'pms:4711',
 *   body: { clinicId: 'cli_1', name: 'Ada Beispiel' },
 * };
 */
export interface BatchWrite extends Write {}

/**
 * The results of a batch, in the order of its writes.
 *
 * @example
 * const idsOf = ({ results }: BatchResult) => results.map(({ _id }) => _id);
 */
export interface BatchResult extends Schema<'BatchResult'> {}

/**
 * The result of a write of a batch: what was written, or the error that the single call would have.
 *
 * @example
 * const isWritten = ({ error }: WriteResult) => error === undefined;
 */
export interface WriteResult extends Schema<'WriteResult'> {}

/**
 * A clinic of the organization.
 *
 * @example
 * const zoneOf = ({ timezone }: Clinic) => timezone;
 */
export interface Clinic extends Schema<'Clinic'> {}

/**
 * An invoice for a patient.
 *
 * @example
 * const isOpen = ({ status }: Invoice) => status === 'OPEN';
 */
export interface Invoice extends Schema<'Invoice'> {}

/**
 * A payment of a patient.
 *
 * @example
 * const isRefund = ({ status }: Payment) => status === 'REFUNDED';
 */
export interface Payment extends Schema<'Payment'> {}

/**
 * A treatment of a patient: one procedure, with its teeth and surfaces.
 *
 * @example
 * const describe = ({ name, teeth }: Treatment) => `${name}: ${teeth.join(', ')}`;
 */
export interface Treatment extends Schema<'Treatment'> {}

/**
 * A provider: a person who treats patients.
 *
 * @example
 * const worksAt = ({ clinicIds }: Provider, clinicId: string) => clinicIds.includes(clinicId);
 */
export interface Provider extends Schema<'Provider'> {}

/**
 * A procedure: an entry of the price list.
 *
 * @example
 * const isBookable = ({ bookable }: Procedure) => bookable;
 */
export interface Procedure extends Schema<'Procedure'> {}

/**
 * A time without appointments, of a clinic or of one provider.
 *
 * @example
 * const isOfClinic = ({ providerId }: CalendarBlock) => providerId === undefined;
 */
export interface CalendarBlock extends Schema<'CalendarBlock'> {}

/**
 * The opening hours of a clinic.
 *
 * @example
 * const isClosedOnSunday = ({ weekdays }: OpeningHours) => weekdays.sunday.length === 0;
 */
export interface OpeningHours extends Schema<'OpeningHours'> {}

/**
 * The fields of a new provider.
 *
 * @example
 * const provider: CreateProvider = { name: 'Dr. Ines Albers', clinicIds: ['cli_1'] };
 */
export interface CreateProvider extends Schema<'ProviderCreate'> {}

/**
 * Changes of a provider. An absent field stays as it is.
 *
 * @example
 * const moved: UpdateProvider = { clinicIds: ['cli_2'] };
 */
export interface UpdateProvider extends Schema<'ProviderUpdate'> {}

/**
 * The fields of a new procedure. A price needs a currency.
 *
 * @example
 * const procedure: CreateProcedure = { name: 'Check-up', durationMinutes: 30, price: '80.00', currency: 'EUR' };
 */
export interface CreateProcedure extends Schema<'ProcedureCreate'> {}

/**
 * Changes of a procedure. An absent field stays as it is; `null` clears a field.
 *
 * @example
 * const everywhere: UpdateProcedure = { clinicIds: null };
 */
export interface UpdateProcedure extends Schema<'ProcedureUpdate'> {}

/**
 * The fields of a new calendar block. Without `providerId`, it blocks the whole clinic.
 *
 * @example
 * const block: CreateCalendarBlock = {
 *   clinicId: 'cli_1',
 *   startTime: '2030-12-24T00:00:00+01:00',
 *   endTime: '2030-12-27T00:00:00+01:00',
 *   kind: 'HOLIDAY',
 * };
 */
export interface CreateCalendarBlock extends Schema<'CalendarBlockCreate'> {}

/**
 * Changes of a calendar block. An absent field stays as it is; `null` clears `providerId`.
 *
 * @example
 * const ofClinic: UpdateCalendarBlock = { providerId: null };
 */
export interface UpdateCalendarBlock extends Schema<'CalendarBlockUpdate'> {}

/**
 * All opening hours of a clinic. A weekday that is absent is closed.
 *
 * @example
 * const hours: SetOpeningHours = { weekdays: { monday: [{ opens: '08:00', closes: '17:30' }] }, chairs: 3 };
 */
export interface SetOpeningHours extends Schema<'OpeningHoursUpdate'> {}

/**
 * Opening hours to try, and the days to search.
 *
 * @example
 * const days = { from: '2030-01-07', to: '2030-01-11', durationMinutes: 30 };
 * const preview: PreviewOpeningHours = { ...days, hours: { weekdays: {} } };
 */
export interface PreviewOpeningHours extends Schema<'OpeningHoursPreview'> {}

/**
 * A subscription: the events of a clinic are sent to its URL. It does not contain the secret.
 *
 * @example
 * const isDisabled = ({ active }: WebhookSubscription) => !active;
 */
export interface WebhookSubscription extends Schema<'WebhookSubscription'> {}

/**
 * A new subscription with its secret, which no later response contains.
 *
 * @example
 * const store = async ({ _id, secret }: CreatedWebhookSubscription) => writeFile(_id, secret);
 */
export interface CreatedWebhookSubscription extends Schema<'CreatedWebhookSubscription'> {}

/**
 * The fields of new subscriptions, one for each clinic.
 *
 * @example
 * const subscriptions: CreateWebhookSubscriptions = { url: 'https://example.com/webhooks', events: ['patient.*'] };
 */
export interface CreateWebhookSubscriptions extends Omit<Schema<'WebhookSubscriptionCreate'>, 'clinicId'> {}

/**
 * What `createForClinics` did for one clinic. `kept`: the clinic already had a subscription with this URL, these events, this
 * payload and headers of these names; its secret is not returned again. `differs`: it has one with this URL and these events,
 * but with another payload or other headers; change it with `update`. `untried`: a failure of another clinic ended the calls.
 *
 * @example
 * const secretOf = (result: ClinicSubscription) =>
 *   result.outcome === 'created' ? result.subscription.secret : undefined;
 */
export type ClinicSubscription =
  | { clinic: Clinic; outcome: 'created'; subscription: CreatedWebhookSubscription }
  | { clinic: Clinic; outcome: 'kept' | 'differs'; subscription: WebhookSubscription }
  | { clinic: Clinic; outcome: 'failed'; error: ChairsideError }
  | { clinic: Clinic; outcome: 'untried' };

/**
 * The fields of a new subscription.
 *
 * @example
 * const subscription: CreateWebhookSubscription = {
 *   clinicId: 'cli_1',
 *   url: 'https://example.com/webhooks',
 *   events: ['patient.*'],
 * };
 */
export interface CreateWebhookSubscription extends Schema<'WebhookSubscriptionCreate'> {}

/**
 * What a subscription with a new secret has differently from the one that it is to replace.
 *
 * @example
 * const moved: ReplaceWebhookSubscription = { url: 'https://example.com/new' };
 */
export interface ReplaceWebhookSubscription
  extends Omit<Schema<'WebhookSubscriptionReplacement'>, 'replaces' | 'clinicId' | 'active'> {}

/**
 * Changes of a subscription.
 *
 * @example
 * const enabled: UpdateWebhookSubscription = { active: true };
 */
export interface UpdateWebhookSubscription extends Schema<'WebhookSubscriptionUpdate'> {}

/**
 * One event for one subscription, with the outcome.
 *
 * @example
 * const hasFailed = ({ outcome }: WebhookDelivery) => outcome === 'failed';
 */
export interface WebhookDelivery extends Schema<'WebhookDelivery'> {}

/**
 * Selects the deliveries of a subscription that are sent again.
 *
 * @example
 * const today: CreateWebhookRedelivery = { since: '2030-01-31T00:00:00Z', outcomes: ['failed'] };
 */
export interface CreateWebhookRedelivery extends Schema<'WebhookRedeliveryCreate'> {}

/**
 * The progress of a bulk redelivery.
 *
 * @example
 * const isDone = ({ state }: WebhookRedelivery) => state === 'done';
 */
export interface WebhookRedelivery extends Schema<'WebhookRedelivery'> {}

/**
 * The numbers of deliveries of one subscription that became final in one hour. Tests and redeliveries are not counted.
 *
 * @example
 * const attempts = ({ succeeded, failed }: WebhookStatisticsRow) => succeeded + failed;
 */
export interface WebhookStatisticsRow extends Schema<'WebhookStatisticsRow'> {}

/**
 * Selects the hours and the subscriptions of the statistics.
 *
 * @example
 * const filter: WebhookStatisticsFilter = { clinicId: 'cli_1', since: '2030-01-31T00:00:00Z' };
 */
export interface WebhookStatisticsFilter extends FilterOf<'listWebhookStatistics'> {}

/**
 * The backlog of the organization: records with events that have no deliveries yet, and queued deliveries. It also
 * shows whether an outage of the service is declared.
 *
 * @example
 * const isBehind = ({ oldestAge, outage }: ServiceStatus) => outage || oldestAge > 60;
 */
export interface ServiceStatus extends Schema<'ServiceStatus'> {}

/**
 * An API key, without its secret.
 *
 * @example
 * const isUnused = ({ lastUsedTime }: ApiKey) => lastUsedTime === undefined;
 */
export interface ApiKey extends Schema<'ApiKey'> {}

/**
 * An API key with its secret.
 *
 * @example
 * const store = async ({ name, secret }: ApiKeyWithSecret) => writeFile(name, secret);
 */
export interface ApiKeyWithSecret extends Schema<'ApiKeyWithSecret'> {}

/**
 * The fields of a new API key. A new key can have read scopes only.
 *
 * @example
 * const key: CreateApiKey = { name: 'Recall letters', scopes: ['patients:read'] };
 */
export interface CreateApiKey extends Schema<'ApiKeyCreate'> {}

/**
 * What an API key learns about itself. `ref` is the `origin.ref` of the events that it causes.
 *
 * @example
 * const isLimited = ({ clinicIds }: CurrentApiKey) => clinicIds !== undefined;
 */
export interface CurrentApiKey extends Schema<'CurrentApiKey'> {}

/**
 * For how many hours the former secret of a rotated key goes on working.
 *
 * @example
 * const rotation: RotateApiKey = { overlapHours: 24 };
 */
export interface RotateApiKey extends Schema<'ApiKeyRotation'> {}

/**
 * Changes of an API key.
 *
 * @example
 * const wider: UpdateApiKey = { scopes: ['patients:read', 'patients:write'] };
 */
export interface UpdateApiKey extends Schema<'ApiKeyUpdate'> {}

/**
 * A person who can sign in.
 *
 * @example
 * const isAdministrator = ({ role }: Operator) => role === 'administrator';
 */
export interface Operator extends Schema<'Operator'> {}

/**
 * An operator who may have been invited. `invitationUrl` is there once, and only if the service sends no mail.
 *
 * @example
 * const linkOf = ({ invitationUrl }: InvitedOperator) => invitationUrl;
 */
export interface InvitedOperator extends Schema<'InvitedOperator'> {}

/**
 * The fields of a new operator. Without a password, the operator is invited.
 *
 * @example
 * const operator: CreateOperator = { email: 'ada@example.com', role: 'staff' };
 */
export interface CreateOperator extends Schema<'OperatorCreate'> {}

/**
 * Changes of an operator.
 *
 * @example
 * const disabled: UpdateOperator = { active: false };
 */
export interface UpdateOperator extends Schema<'OperatorUpdate'> {}

/**
 * A session of an operator.
 *
 * @example
 * const endsAt = ({ expiryTime }: Session) => new Date(expiryTime);
 */
export interface Session extends Schema<'Session'> {}

/**
 * The session of the request, with the name of the organization.
 *
 * @example
 * const practice = ({ organization }: CurrentSession) => organization.name;
 */
export interface CurrentSession extends Schema<'CurrentSession'> {}

/**
 * A mail that has told an operator what happened.
 *
 * @example
 * const hasArrived = ({ state }: Notice) => state === 'sent';
 */
export interface Notice extends Schema<'Notice'> {}

/**
 * Which notices an administrator gets by mail.
 *
 * @example
 * const isQuiet = (settings: NoticeSettings) => Object.values(settings).every((isOn) => !isOn);
 */
export interface NoticeSettings extends Schema<'NoticeSettings'> {}

/**
 * Changes of which notices you get. An absent field stays as it is.
 *
 * @example
 * const without: UpdateNoticeSettings = { subscriptionRecovered: false };
 */
export interface UpdateNoticeSettings extends Schema<'NoticeSettingsUpdate'> {}

/**
 * A connected app, such as an AI assistant.
 *
 * @example
 * const isStale = ({ lastUsedTime }: Connection) => lastUsedTime === undefined;
 */
export interface Connection extends Schema<'Connection'> {}

/**
 * A new session with its access token, which no later response contains.
 *
 * @example
 * const signedIn: SignedIn = await Chairside.signIn({ baseUrl, email: 'ada@example.com', password });
 * const client = new Chairside({ baseUrl, accessToken: signedIn.token });
 */
export interface SignedIn extends Schema<'SignedIn'> {}

/**
 * An access token for a program, without the token itself.
 *
 * @example
 * const isUnused = ({ lastUsedTime }: ProgramToken) => lastUsedTime === undefined;
 */
export interface ProgramToken extends Schema<'ProgramToken'> {}

/**
 * What a program token learns about itself. `ref` is the `origin.ref` of the events that it causes.
 *
 * @example
 * const endsSoon = ({ expiryTime }: CurrentProgramToken) => Date.parse(expiryTime) < Date.now() + 7 * 86_400_000;
 */
export interface CurrentProgramToken extends Schema<'CurrentProgramToken'> {}

/**
 * A new access token for a program.
 *
 * @example
 * const store = async ({ name, token }: ProgramTokenWithSecret) => writeFile(name, token);
 */
export interface ProgramTokenWithSecret extends Schema<'ProgramTokenWithSecret'> {}

/**
 * The fields of a new access token for a program. Without `clinicIds`, it is for all clinics.
 *
 * @example
 * const token: CreateProgramToken = { name: 'Onboarding', access: 'webhooks', lifetimeDays: 30 };
 */
export interface CreateProgramToken extends Schema<'ProgramTokenCreate'> {}

/**
 * The current password of the operator.
 *
 * @example
 * const confirmation: PasswordConfirmation = { password };
 */
export interface PasswordConfirmation extends Schema<'Confirmation'> {}

/**
 * The current and the new password of the operator.
 *
 * @example
 * const change: PasswordChange = { password, newPassword: 'staple of the horse' };
 */
export interface PasswordChange extends Schema<'PasswordChange'> {}

/**
 * What you are asked besides the password: passkeys, an app for codes, and how many recovery codes are left.
 *
 * @example
 * const hasFactor = ({ passkeys, codes }: Factors) => passkeys.length > 0 || codes !== undefined;
 */
export interface Factors extends Schema<'Factors'> {}

/**
 * A passkey of an operator.
 *
 * @example
 * const nameOf = ({ name }: Passkey) => name;
 */
export interface Passkey extends Schema<'Passkey'> {}

/**
 * The secret of an app for codes that is being added, and the same for a QR code.
 *
 * @example
 * const show = ({ secret }: NewCode) => console.log(secret);
 */
export interface NewCode extends Schema<'NewCode'> {}

/**
 * The first code of an app that is being added.
 *
 * @example
 * const completion: CodeCompletion = { code: '123456' };
 */
export interface CodeCompletion extends Schema<'CodeCompletion'> {}

/**
 * Recovery codes that were just made. They are there only with the first factor, or when they are made anew.
 *
 * @example
 * const keep = ({ recoveryCodes = [] }: RecoveryCodes) => recoveryCodes.join('\n');
 */
export interface RecoveryCodes extends Schema<'RecoveryCodes'> {}

/**
 * The answer to what a sign-in asks besides the password.
 *
 * @example
 * const answer: ChallengeAnswer = { challenge: '…', code: '123456' };
 */
export interface ChallengeAnswer extends Schema<'ChallengeAnswer'> {}

/**
 * A passkey that a browser has created.
 *
 * @example
 * const idOf = ({ id }: PasskeyRegistration) => id;
 */
export interface PasskeyRegistration extends Schema<'PasskeyRegistration'> {}

/**
 * A passkey that was just added, with recovery codes if it is the first factor.
 *
 * @example
 * const codesOf = ({ recoveryCodes = [] }: AddedPasskey) => recoveryCodes;
 */
export interface AddedPasskey extends Schema<'AddedPasskey'> {}

/**
 * Your organization, and who must have a factor besides the password.
 *
 * @example
 * const isRequired = ({ requiredFactors }: Organization) => requiredFactors !== 'off';
 */
export interface Organization extends Schema<'Organization'> {}

/**
 * What an organization requires.
 *
 * @example
 * const changes: UpdateOrganization = { requiredFactors: 'everybody' };
 */
export interface UpdateOrganization extends Schema<'OrganizationUpdate'> {}

/**
 * An entry of the audit trail: the principal, the action, the records, the time and the result.
 *
 * @example
 * const wasRefused = ({ result }: AuditEntry) => result === 'refused';
 */
export interface AuditEntry extends Schema<'AuditEntry'> {}

/**
 * The name of an event.
 *
 * @example
 * const interesting: EventName[] = ['patient.created', 'appointment.updated'];
 */
export type EventName = Schema<'Event'>['event'];

/**
 * Something happened to a patient.
 *
 * @example
 * const describe = ({ event, data }: PatientEvent) => `${event}: ${data.name ?? data._id}`;
 */
export interface PatientEvent extends Schema<'PatientEvent'> {
  /** The record as `get` returned it at the time of the event. For a deletion, the deleted record. */
  data: Patient;
}

/**
 * Something happened to an appointment.
 *
 * @example
 * const describe = ({ event, data }: AppointmentEvent) => `${event}: ${data.status}`;
 */
export interface AppointmentEvent extends Schema<'AppointmentEvent'> {
  /** The record as `get` returned it at the time of the event. For a deletion, the deleted record. */
  data: Appointment;
}

/**
 * Something happened to an invoice.
 *
 * @example
 * const describe = ({ event, data }: InvoiceEvent) => `${event}: ${data.total} ${data.currency}`;
 */
export interface InvoiceEvent extends Schema<'InvoiceEvent'> {
  /** The record as `get` returned it at the time of the event. For a deletion, the deleted record. */
  data: Invoice;
}

/**
 * Something happened to a payment.
 *
 * @example
 * const describe = ({ event, data }: PaymentEvent) => `${event}: ${data.amount} ${data.currency}`;
 */
export interface PaymentEvent extends Schema<'PaymentEvent'> {
  /** The record as `get` returned it at the time of the event. For a deletion, the deleted record. */
  data: Payment;
}

/**
 * An event of the log. Its `event` determines the type of its `data`. The type is not called `Event`, because
 * browsers already have a type of that name.
 *
 * @example
 * const patientOf = (event: ChairsideEvent) =>
 *   event.event === 'appointment.created' ? event.data.patientId : undefined;
 */
export type ChairsideEvent = PatientEvent | AppointmentEvent | InvoiceEvent | PaymentEvent;

/**
 * Selects the patients of a list. An empty filter selects all of them.
 *
 * @example
 * const filter: PatientFilter = { clinicId: 'cli_1', updatedSince: new Date('2030-01-31T00:00:00Z') };
 */
export interface PatientFilter extends FilterOf<'listPatients'> {}

/**
 * Selects the appointments of a list. An empty filter selects all of them.
 *
 * @example
 * const day: AppointmentFilter = { startTime: '2030-01-31T00:00:00Z', endTime: '2030-02-01T00:00:00Z' };
 */
export interface AppointmentFilter extends FilterOf<'listAppointments'> {}

/**
 * Selects the clinics of a list. An empty filter selects all of them.
 *
 * @example
 * const edited: ClinicFilter = { updatedSince: new Date('2030-01-31T00:00:00Z') };
 */
export interface ClinicFilter extends FilterOf<'listClinics'> {}

/**
 * Selects the invoices of a list. An empty filter selects all of them.
 *
 * @example
 * const filter: InvoiceFilter = { patientId: 'pat_1' };
 */
export interface InvoiceFilter extends FilterOf<'listInvoices'> {}

/**
 * Selects the payments of a list. An empty filter selects all of them.
 *
 * @example
 * const filter: PaymentFilter = { patientId: 'pat_1' };
 */
export interface PaymentFilter extends FilterOf<'listPayments'> {}

/**
 * Selects the treatments of a list. An empty filter selects all of them.
 *
 * @example
 * const edited: TreatmentFilter = { updatedSince: new Date('2030-01-31T00:00:00Z') };
 */
export interface TreatmentFilter extends FilterOf<'listTreatments'> {}

/**
 * The free slots of a clinic, in its local time.
 *
 * @example
 * const first = ({ slots }: Availability) => slots[0]?.start;
 */
export interface Availability extends Schema<'Availability'> {}

/**
 * A search for free slots. It has either `procedureId` or `durationMinutes`.
 *
 * @example
 * const search: AvailabilitySearch = { clinicId: 'cli_1', from: '2030-01-31', to: '2030-02-01', procedureId: 'pro_1' };
 */
export interface AvailabilitySearch extends QueryOf<'findAvailability'> {}

/**
 * Selects the providers of a list. An empty filter selects all of them.
 *
 * @example
 * const filter: ProviderFilter = { clinicId: 'cli_1' };
 */
export interface ProviderFilter extends FilterOf<'listProviders'> {}

/**
 * Selects the procedures of a list. An empty filter selects all of them.
 *
 * @example
 * const filter: ProcedureFilter = { clinicId: 'cli_1' };
 */
export interface ProcedureFilter extends FilterOf<'listProcedures'> {}

/**
 * Selects the calendar blocks of a list. An empty filter selects all of them.
 *
 * @example
 * const filter: CalendarBlockFilter = { providerId: 'pro_1', startTime: new Date() };
 */
export interface CalendarBlockFilter extends FilterOf<'listCalendarBlocks'> {}

/**
 * Selects the events of a list. An empty filter selects all of them.
 *
 * @example
 * const filter: EventFilter = { event: 'patient.deleted', since: new Date(Date.now() - 86_400_000) };
 */
export interface EventFilter extends FilterOf<'listEvents'> {}

/**
 * Selects the audit entries of a list. An empty filter selects all of them.
 *
 * @example
 * const reads: AuditEntryFilter = { kind: 'patient', action: 'read', recordId: 'pat_1' };
 */
export interface AuditEntryFilter extends FilterOf<'listAuditEntries'> {}

/**
 * Selects the deliveries of a list.
 *
 * @example
 * const failed: WebhookDeliveryFilter = { webhookSubscriptionId: 'sub_1', outcome: 'failed' };
 */
export interface WebhookDeliveryFilter extends FilterOf<'listAllWebhookDeliveries'> {}
