type Settings = Readonly<Record<string, string>>;

/**
 * These settings apply to every start. They also apply to the installation of the extension, which stores some
 * of them.
 */
export const SETTINGS: Settings = {
  shared_preload_libraries: 'pg_cron,pg_documentdb_core,pg_documentdb',
  // Listens only on a socket in its own folder, so there is no port conflict and other users cannot connect.
  listen_addresses: '',
  unix_socket_directories: '/run',
  unix_socket_permissions: '0700',
  // DocumentDB and pg_cron open their own connections: for a new collection, an index, expired documents.
  'documentdb.localhost_connection_string': 'host=/run',
  'cron.host': '/run',
  'cron.database_name': 'postgres',
  // pg_cron checks for indexes to build every 2 s, and would store a row and write log lines each time.
  'cron.log_run': 'off',
  'cron.log_statement': 'off',
  // FerretDB uses up to 50.
  max_connections: '200',
  // The library for JIT is not in the engine's folder.
  jit: 'off',
};

/**
 * For temporary data. Committed data is still handed to the operating system, so it survives a kill. full_page_writes
 * stays on: without it, DocumentDB's indexes are damaged after a crash, and writes to them never end.
 */
export const NO_CARE: Settings = { fsync: 'off' };

export function settingFlags(settings: Settings): string[] {
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}
