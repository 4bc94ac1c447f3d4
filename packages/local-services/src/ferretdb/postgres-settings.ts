type Settings = Readonly<Record<string, string>>;

/**
 * The settings for every start. They also apply while the extension is installed, because the extension stores some of
 * them.
 */
export const SETTINGS: Settings = {
  shared_preload_libraries: 'pg_cron,pg_documentdb_core,pg_documentdb',
  // The server listens only on a socket in its own folder, so there is no port conflict and other users cannot connect.
  listen_addresses: '',
  unix_socket_directories: '/run',
  unix_socket_permissions: '0700',
  // DocumentDB and pg_cron open their own connections, to create collections and indexes and to delete expired
  // documents.
  'documentdb.localhost_connection_string': 'host=/run',
  'cron.host': '/run',
  'cron.database_name': 'postgres',
  // pg_cron checks for indexes to build every 2 s, and by default stores a row and writes log lines each time.
  'cron.log_run': 'off',
  'cron.log_statement': 'off',
  // FerretDB uses up to 50 connections.
  max_connections: '200',
  // The library for JIT is not in the engine's folder.
  jit: 'off',
};

/**
 * Additional settings for temporary data. Committed data is still passed to the operating system, so it survives
 * SIGKILL. full_page_writes stays on: without it, DocumentDB's indexes are damaged after a crash, and writes to them
 * never end.
 */
export const NO_CARE: Settings = { fsync: 'off' };

export function settingFlags(settings: Settings): string[] {
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}
