import {
  ApiKeys,
  AuditEntries,
  Connections,
  Operators,
  SESSIONS,
  Sessions,
  type SignInOptions,
} from './access.ts';
import { Call } from './call.ts';
import { Events } from './events.ts';
import { type CreateOptions, read, sendOnce } from './groups.ts';
import {
  type BatchOptions,
  type ImportedBatch,
  type ImportOptions,
  importAll,
  sendBatch,
} from './import-all.ts';
import { type ChairsideOptions, type RequestOptions, readConnection, readOptions } from './options.ts';
import { Patients } from './patients.ts';
import { type BookingOptions, EditableRecords, ReadableRecords, SyncedRecords } from './record-groups.ts';
import type {
  Appointment,
  AppointmentFilter,
  Availability,
  AvailabilitySearch,
  BatchResult,
  BatchWrite,
  CalendarBlock,
  CalendarBlockFilter,
  Clinic,
  ClinicFilter,
  CreateAppointment,
  CreateCalendarBlock,
  CreateProcedure,
  CreateProvider,
  Invoice,
  InvoiceFilter,
  Payment,
  PaymentFilter,
  Procedure,
  ProcedureFilter,
  Provider,
  ProviderFilter,
  ServiceStatus,
  SignedIn,
  Treatment,
  TreatmentFilter,
  UpdateAppointment,
  UpdateCalendarBlock,
  UpdateProcedure,
  UpdateProvider,
} from './records.ts';
import { type Runtime, realRuntime } from './runtime.ts';
import { ClinicHours } from './schedule.ts';
import { createTransport, type QueryValue, type Transport } from './transport.ts';
import { WebhookDeliveries, WebhookStatistics, WebhookSubscriptions } from './webhooks.ts';

/**
 * The options of a request for which this package has no method.
 *
 * @example
 * const options: RawRequestOptions = { query: { limit: 10 } };
 * const patients = await chairside.request('GET', '/api/patients', options);
 */
export interface RawRequestOptions extends CreateOptions {
  query?: Readonly<Record<string, QueryValue>> | undefined;
  /** Sent as JSON. */
  body?: unknown;
}

/**
 * A client of the Chairside REST API.
 *
 * It opens no connection and starts no timer before a method is called, so nothing needs to be closed.
 *
 * @example
 * const chairside = new Chairside({ baseUrl: 'https://api.example.com', apiKey: process.env.CHAIRSIDE_API_KEY });
 * const patient = await chairside.patients.create({ clinicId: 'cli_1', name: 'Ada Beispiel' });
 */
export class Chairside {
  /** The address of the api. */
  readonly baseUrl: string;
  readonly patients: Patients;
  readonly appointments: SyncedRecords<
    Appointment,
    AppointmentFilter,
    CreateAppointment,
    UpdateAppointment,
    BookingOptions
  >;
  readonly clinics: ReadableRecords<Clinic, ClinicFilter>;
  readonly invoices: ReadableRecords<Invoice, InvoiceFilter>;
  readonly payments: ReadableRecords<Payment, PaymentFilter>;
  readonly treatments: ReadableRecords<Treatment, TreatmentFilter>;
  readonly providers: EditableRecords<Provider, ProviderFilter, CreateProvider, UpdateProvider>;
  readonly procedures: EditableRecords<Procedure, ProcedureFilter, CreateProcedure, UpdateProcedure>;
  readonly calendarBlocks: EditableRecords<
    CalendarBlock,
    CalendarBlockFilter,
    CreateCalendarBlock,
    UpdateCalendarBlock
  >;
  readonly openingHours: ClinicHours;
  readonly events: Events;
  readonly webhookSubscriptions: WebhookSubscriptions;
  readonly webhookDeliveries: WebhookDeliveries;
  readonly webhookStatistics: WebhookStatistics;
  readonly apiKeys: ApiKeys;
  readonly operators: Operators;
  readonly auditEntries: AuditEntries;
  readonly connections: Connections;
  readonly sessions: Sessions;
  readonly #transport: Transport;

  /**
   * @throws {ChairsideError} `InvalidArgument` for an option that is not valid
   */
  constructor(options: ChairsideOptions);
  /** @internal */
  constructor(options: ChairsideOptions, runtime: Runtime);
  constructor(options: ChairsideOptions, runtime: Runtime = realRuntime) {
    const settings = readOptions(options);
    const transport = createTransport(settings, runtime);
    this.#transport = transport;
    this.baseUrl = settings.baseUrl;
    this.patients = new Patients(transport);
    this.appointments = new SyncedRecords(transport, '/api/appointments');
    this.clinics = new ReadableRecords(transport, '/api/clinics');
    this.invoices = new ReadableRecords(transport, '/api/invoices');
    this.payments = new ReadableRecords(transport, '/api/payments');
    this.treatments = new ReadableRecords(transport, '/api/treatments');
    this.providers = new EditableRecords(transport, '/api/providers');
    this.procedures = new EditableRecords(transport, '/api/procedures');
    this.calendarBlocks = new EditableRecords(transport, '/api/calendarblocks');
    this.openingHours = new ClinicHours(transport);
    this.events = new Events(transport);
    this.webhookSubscriptions = new WebhookSubscriptions(transport);
    this.webhookDeliveries = new WebhookDeliveries(transport);
    this.webhookStatistics = new WebhookStatistics(transport);
    this.apiKeys = new ApiKeys(transport);
    this.operators = new Operators(transport);
    this.auditEntries = new AuditEntries(transport);
    this.connections = new Connections(transport);
    this.sessions = new Sessions(transport);
  }

  /**
   * Signs an operator in. This needs no client. The request is sent again only if it certainly did not reach the service. If
   * the operator has a second factor, the error has `details.challenge`, and `details.requiredSecondFactor` says which kinds
   * can answer: call this method again with `answer`.
   *
   * @returns a session, with its access token
   * @throws {ChairsideError} `InvalidArgument` for an option that is not valid
   * @example
   * const { token } = await Chairside.signIn({ baseUrl, email: 'ada@example.com', password });
   * const chairside = new Chairside({ baseUrl, accessToken: token });
   */
  static signIn({ email, password, answer, signal, ...connection }: SignInOptions): Call<SignedIn> {
    const transport = createTransport(readConnection(connection), realRuntime);
    const path = () => SESSIONS + (answer ? '/challenge' : '');
    return sendOnce(transport, { signal }, 'POST', path, answer ?? { email, password });
  }

  /**
   * Reads how many records have events without deliveries, how many deliveries are queued, and whether an outage of the
   * service is declared. It needs the access token of an administrator.
   *
   * @example
   * const { deliveriesWaiting, outage } = await chairside.serviceStatus();
   */
  serviceStatus(options?: RequestOptions): Call<ServiceStatus> {
    return read(this.#transport, options, () => '/api/servicestatus');
  }

  /**
   * Makes up to 500 writes with one request. A refused write stops no other one: look at the `status` of each result. If the
   * request is retried, what was written is returned, and the other writes are tried again.
   *
   * @example
   * const { results } = await chairside.batch([
   *   { method: 'upsert', kind: 'patient', externalId: 'pms:4711', body: { clinicId: 'cli_1', name: 'Ada Beispiel' } },
   *   { method: 'delete', kind: 'patient', externalId: 'pms:4712' },
   * ]);
   * const refused = results.filter(({ error }) => error !== undefined);
   */
  batch(writes: readonly BatchWrite[], options?: BatchOptions): Call<BatchResult> {
    return sendBatch(this.#transport, writes, options);
  }

  /**
   * Makes any number of writes, as batches that are sent one after the other, so that writes of one record are made in their
   * order. It repeats a batch, as often as `retry` says, while a limit is reached or the service could not make some of its
   * writes.
   *
   * The same rows with the same `idempotencyKey` are written only once within 24 hours. To continue after a crash, store `next`
   * of the last batch that you got, and pass it as `skip`.
   *
   * @param rows are read batch by batch
   * @throws {ChairsideError} for a batch that cannot be completed, such as one without the scope; the batches before it are written
   * @example
   * const rows: BatchWrite[] = [
   *   { method: 'upsert', kind: 'patient', externalId: 'pms:4711', body: { clinicId: 'cli_1', name: 'Ada Beispiel' } },
   *   { method: 'create', kind: 'appointment', body: { clinicId: 'cli_1', patientExternalId: 'pms:4711' } },
   * ];
   * for await (const { writes, results } of chairside.importAll(rows, { idempotencyKey: 'sync-2030-01-31' }))
   *   for (const [index, { error }] of results.entries()) if (error) console.error(writes[index]?.externalId, error.message);
   */
  importAll(
    rows: Iterable<BatchWrite> | AsyncIterable<BatchWrite>,
    options?: ImportOptions,
  ): AsyncGenerator<ImportedBatch, void, undefined> {
    return importAll(this.#transport, rows, options);
  }

  /**
   * Finds free slots of a clinic, for a procedure or for a number of minutes. Nothing is reserved.
   *
   * @example
   * const search = { clinicId: 'cli_1', from: '2030-01-31', to: '2030-02-01', durationMinutes: 30 };
   * const { slots, reason } = await chairside.findAvailability(search);
   */
  findAvailability(search: AvailabilitySearch, options?: RequestOptions): Call<Availability> {
    return this.request('GET', '/api/availability', { ...options, query: { ...search } });
  }

  /**
   * Sends any request with the credential of the client. Use it for operations that are newer than this package.
   *
   * A POST without an `idempotencyKey` is sent again only if it certainly did not reach the service.
   *
   * @param path an absolute path, such as `/api/patients`
   * @example
   * const [patient] = await chairside.request<Patient[]>('GET', '/api/patients', { query: { limit: 1 } });
   */
  request<T = unknown>(
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    path: string,
    { query, body, idempotencyKey, ...options }: RawRequestOptions = {},
  ): Call<T> {
    const headers = { 'idempotency-key': idempotencyKey };
    const isRepeatable = method !== 'POST' || idempotencyKey !== undefined;
    const send = async () =>
      this.#transport.send({ method, path, query, body, headers, isRepeatable, options });
    return new Call(send());
  }

  /** Shows the address, but no credential. */
  toJSON(): { baseUrl: string } {
    return { baseUrl: this.baseUrl };
  }
}
