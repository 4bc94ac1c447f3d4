import { OPERATOR_ACCESS } from '../access/operator-view.ts';
import { SCHEDULE_BUSY } from '../schedule/busy-view.ts';

/** What a database user may do: actions of MongoDB, by collection or view. */
export type DatabaseRole = Readonly<Record<string, readonly ('find' | 'insert' | 'update' | 'remove')[]>>;

/**
 * The roles of the database users that may do less than the services, by name. The documentation and deploy/compose are made
 * from them: `npm test -- scripts/database-roles.test.ts -u`. An upgrade sets the roles of the new version before its first
 * process starts, so a role also allows what the version before it needs.
 */
export const databaseRoles = {
  /** The dashboard, as the authorization server of the connector. */
  chairsideAuthorization: {
    connections: ['find', 'insert', 'update', 'remove'],
    oauthState: ['find', 'insert', 'update', 'remove'],
    oauthClients: ['find', 'insert', 'update', 'remove'],
    oauthLimits: ['find', 'insert', 'update'],
    [OPERATOR_ACCESS.name]: ['find'],
    organizations: ['find'],
    stops: ['find'],
    auditEntries: ['insert'],
    endings: ['insert'],
    databaseForm: ['find'],
    processes: ['insert', 'update', 'remove'],
  },
  /** The connector. */
  chairsideSchedule: {
    clinics: ['find'],
    openingHours: ['find'],
    providers: ['find'],
    procedures: ['find'],
    calendarBlocks: ['find'],
    [SCHEDULE_BUSY.name]: ['find'],
    databaseForm: ['find'],
  },
} satisfies Record<string, DatabaseRole>;

/** The role of the services and of chairside-admin in the vault, where endings can only be added. */
export const vaultRoles = {
  chairsideVault: {
    dataKeys: ['find', 'insert', 'update'],
    endings: ['find', 'insert'],
    sequence: ['find', 'insert', 'update'],
    settings: ['find'],
    vault: ['find', 'insert'],
  },
} satisfies Record<string, DatabaseRole>;
