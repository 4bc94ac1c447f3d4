import type { Call } from './call.ts';
import { pathOf, read } from './groups.ts';
import type { RequestOptions } from './options.ts';
import { SyncedRecords } from './record-groups.ts';
import type { CreatePatient, Patient, PatientExport, PatientFilter, UpdatePatient } from './records.ts';
import type { Transport } from './transport.ts';

const PATH = '/api/patients';

/**
 * The patients of the organization.
 *
 * @example
 * const patients: Patients = chairside.patients;
 */
export class Patients extends SyncedRecords<Patient, PatientFilter, CreatePatient, UpdatePatient> {
  readonly #transport: Transport;

  /** @internal */
  constructor(transport: Transport) {
    super(transport, PATH, ['name', 'phone', 'email']);
    this.#transport = transport;
  }

  /**
   * Reads what is stored about a patient: the records, the events, and who has read the patient. It needs the access token
   * of an administrator. The whole export is held in memory; `timeout` is for all of it.
   *
   * @example
   * const { appointments, reads } = await chairside.patients.export('pat_1', { timeout: 120_000 });
   */
  export(id: string, options?: RequestOptions): Call<PatientExport> {
    return read(this.#transport, options, () => pathOf(PATH, id, '/export'));
  }
}
