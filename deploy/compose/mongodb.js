// The health check of MongoDB in compose.yaml: `mongosh --nodb` runs it. It succeeds when the server accepts writes. The first
// time in a container, it makes the replica set and the users if they are missing, and sets the roles of this version.
const { existsSync, writeFileSync } = require('node:fs');
const DONE = '/tmp/prepared';
const {
  MONGO_INITDB_ROOT_USERNAME: root,
  MONGO_INITDB_ROOT_PASSWORD: password,
  MONGODB_SERVICES_PASSWORD: servicesPassword,
  MONGODB_AUTHORIZATION_PASSWORD: authorizationPassword,
  MONGODB_SCHEDULE_PASSWORD: schedulePassword,
} = process.env;
const admin = connect(`mongodb://${root}:${password}@127.0.0.1:27017/admin?directConnection=true`);

const isInitiated = () => {
  try {
    admin.adminCommand({ replSetGetStatus: 1 });
    return true;
  } catch (error) {
    if (error.codeName === 'NotYetInitialized') return false;
    throw error;
  }
};
// A set of one member. A write then waits until it is in the journal, as on a larger set.
const members = [{ _id: 0, host: 'mongodb:27017' }];
if (!isInitiated()) admin.adminCommand({ replSetInitiate: { _id: 'rs0', members } });
if (!admin.hello().isWritablePrimary) quit(1);

if (existsSync(DONE)) quit(0);

const chairside = admin.getSiblingDB('chairside');
const on = (collection, ...actions) => ({ resource: { db: 'chairside', collection }, actions });
// docs/operation/install.md, "Roles". Made by: npm test -- scripts/database-roles.test.ts -u
const roles = {
  chairsideAuthorization: [
    on('connections', 'find', 'insert', 'update', 'remove'),
    on('oauthState', 'find', 'insert', 'update', 'remove'),
    on('oauthClients', 'find', 'insert', 'update', 'remove'),
    on('oauthLimits', 'find', 'insert', 'update'),
    on('operatorAccessV1', 'find'),
    on('organizations', 'find'),
    on('stops', 'find'),
    on('auditEntries', 'insert'),
    on('endings', 'insert'),
    on('databaseForm', 'find'),
    on('processes', 'insert', 'update', 'remove'),
  ],
  chairsideSchedule: [
    on('clinics', 'find'),
    on('openingHours', 'find'),
    on('providers', 'find'),
    on('procedures', 'find'),
    on('calendarBlocks', 'find'),
    on('scheduleBusyV1', 'find'),
    on('databaseForm', 'find'),
  ],
};
for (const [role, privileges] of Object.entries(roles)) {
  if (chairside.getRole(role) === null) chairside.createRole({ role, privileges, roles: [] });
  else chairside.updateRole(role, { privileges });
}
const users = [
  // docs/operation/install.md, "The database user of the services".
  { user: 'services', pwd: servicesPassword, roles: ['readWrite'] },
  { user: 'authorization', pwd: authorizationPassword, roles: ['chairsideAuthorization'] },
  { user: 'schedule', pwd: schedulePassword, roles: ['chairsideSchedule'] },
];
for (const user of users) if (chairside.getUser(user.user) === null) chairside.createUser(user);
writeFileSync(DONE, '');
