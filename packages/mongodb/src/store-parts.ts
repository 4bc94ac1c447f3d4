import type { Db } from 'mongodb';
import type { AuditTrail } from './audit.ts';
import type { Collections } from './collections.ts';
import type { Deliveries } from './deliveries.ts';
import type { LaneRequests } from './lane-requests.ts';
import type { LaneStore } from './lane-store.ts';
import type { Passwords } from './passwords.ts';
import type { Secrets } from './secrets.ts';

/** The parts that all repositories of a store share. */
export type StoreParts = {
  database: Db;
  /** The same database over connections without a time limit: for the first rows of a long list, and for indexes. */
  untimedDatabase: Db;
  collections: Collections;
  secrets: Secrets;
  passwords: Passwords;
  trail: AuditTrail;
  deliveries: Deliveries;
  lanes: LaneStore;
  laneRequests: LaneRequests;
};
