import type { Call } from './call.ts';
import { pathOf, read } from './groups.ts';
import type { RequestOptions } from './options.ts';
import type { IfNoneMatch } from './record-groups.ts';
import type { OpeningHours } from './records.ts';
import type { Transport } from './transport.ts';

const path = (clinicId: string) => () => pathOf('/api/clinics', clinicId, '/openinghours');

/**
 * The opening hours of clinics.
 *
 * @example
 * const hours: ClinicHours = chairside.openingHours;
 */
export class ClinicHours {
  readonly #transport: Transport;

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Reads the opening hours of a clinic. It fails with `NotFound` if they were never set.
   *
   * @example
   * const { weekdays, chairs } = await chairside.openingHours.get('cli_1');
   */
  get(clinicId: string, options: IfNoneMatch): Call<OpeningHours | undefined>;
  get(clinicId: string, options?: RequestOptions): Call<OpeningHours>;
  get(clinicId: string, options?: RequestOptions & { ifNoneMatch?: string }): Call<OpeningHours> {
    return read(this.#transport, options, path(clinicId), { 'if-none-match': options?.ifNoneMatch });
  }
}
