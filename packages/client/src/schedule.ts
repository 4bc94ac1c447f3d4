import type { Call } from './call.ts';
import { change, pathOf, read, type SetOptions, sendOnce } from './groups.ts';
import type { RequestOptions } from './options.ts';
import type { IfNoneMatch } from './record-groups.ts';
import type { Availability, OpeningHours, PreviewOpeningHours, SetOpeningHours } from './records.ts';
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

  /**
   * Replaces all opening hours of a clinic. It needs the access token of an administrator.
   *
   * @example
   * const { data, response } = await chairside.openingHours.get('cli_1').withResponse();
   * await chairside.openingHours.set('cli_1', { ...data, chairs: 3 }, { ifMatch: response.etag });
   */
  set(clinicId: string, hours: SetOpeningHours, options?: SetOptions): Call<OpeningHours> {
    return change(this.#transport, options, path(clinicId), hours);
  }
  /**
   * Finds the free slots that a clinic would have with other opening hours. Nothing is stored. It needs the access
   * token of an administrator.
   *
   * @example
   * const hours = await chairside.openingHours.get('cli_1');
   * const days = { from: '2030-01-07', to: '2030-01-11', durationMinutes: 30 };
   * const { slots } = await chairside.openingHours.preview('cli_1', { ...days, hours: { ...hours, chairs: 3 } });
   */
  preview(clinicId: string, search: PreviewOpeningHours, options?: RequestOptions): Call<Availability> {
    return sendOnce(this.#transport, options, 'POST', () => `${path(clinicId)()}/preview`, search);
  }
}
