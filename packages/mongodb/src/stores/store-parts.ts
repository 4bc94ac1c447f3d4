import type { FactorRequirements } from '../access/organization-document.ts';
import type { Passwords } from '../access/passwords.ts';
import type { AuditTrail } from '../audit/audit.ts';
import type { Deliveries } from '../deliveries/deliveries.ts';
import type { Database } from '../driver/database.ts';
import type { Ciphers } from '../encryption/ciphers.ts';
import type { DataKeys } from '../encryption/data-keys.ts';
import type { ReadSearchState } from '../encryption/search-state.ts';
import type { Secrets } from '../encryption/secrets.ts';
import type { VaultParts } from '../encryption/vault.ts';
import type { LaneRequests } from '../lanes/lane-requests.ts';
import type { LaneStore } from '../lanes/lane-store.ts';
import type { Stops } from '../stops/stops.ts';
import type { Collections } from './collections.ts';

/** The parts that all repositories of a store share. */
export type StoreParts = {
  database: Database;
  /**
   * The same database over connections without a time limit: for long lists, indexes and the commands of
   * chairside-admin.
   */
  untimedDatabase: Database;
  collections: Collections;
  secrets: Secrets;
  ciphers: Ciphers;
  dataKeys: DataKeys;
  searchState: ReadSearchState;
  vaultParts: VaultParts;
  passwords: Passwords;
  factorRequirements: FactorRequirements;
  trail: AuditTrail;
  stops: Stops;
  deliveries: Deliveries;
  lanes: LaneStore;
  laneRequests: LaneRequests;
};
