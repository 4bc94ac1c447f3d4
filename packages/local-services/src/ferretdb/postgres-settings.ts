type Settings = Readonly<Record<string, string>>;

/** For every start, and for the installation of the extension, which stores some of them. */
export const SETTINGS: Settings = {
  shared_preload_libraries: 'pg_cron,pg_documentdb_core,pg_documentdb',
  // Reached through a socket in its own folder only: no port to fight over, nothing for others to connect to.
  listen_addresses: '',
  unix_socket_directories: '/run',
  unix_socket_permissions: '0700',
  // DocumentDB and pg_cron open connections of their own: for a new collection, an index, expired documents.
  'documentdb.localhost_connection_string': 'host=/run',
  'cron.host': '/run',
  'cron.database_name': 'postgres',
  // It looks for indexes to build every 2 s, and would keep a row and write lines for each time.
  'cron.log_run': 'off',
  'cron.log_statement': 'off',
  // FerretDB takes up to 50.
  max_connections: '200',
  // Its library is not in the engine's folder.
  jit: 'off',
};

/**
 * For throw-away data. What is committed is still handed to the system, so that it survives a kill. Not without
 * full_page_writes: DocumentDB's indexes then come out of a crash damaged, and writes to them spin for ever.
 */
export const NO_CARE: Settings = { fsync: 'off' };

export function settingFlags(settings: Settings): string[] {
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}
