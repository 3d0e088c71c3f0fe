/** The server's settings, on its command line so that a later version of the service can change them. */
export function serverSettings(port: number, durable: boolean): readonly string[] {
  const settings = { ...SETTINGS, port, ...(durable ? {} : FORGETFUL) };
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

const SETTINGS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: 200,
  // A statement on records of any age locks a partition for each month, in each of three tables.
  max_locks_per_transaction: 256,
  shared_buffers: '256MB',
  effective_cache_size: '1GB',
  maintenance_work_mem: '128MB',
  work_mem: '16MB',
  max_wal_size: '2GB',
  random_page_cost: 1.1,
  // Queries here are short: compiling them costs more than it saves, and parallel workers need a /dev/shm that
  // containers keep small.
  jit: 'off',
  max_parallel_workers_per_gather: 0,
  fsync: 'on',
  full_page_writes: 'on',
  synchronous_commit: 'on',
  password_encryption: 'scram-sha-256',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_line_prefix: '%m [%p] ',
  // Logs the server's own events and no failed statements: their text may contain data of callers.
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
  log_checkpoints: 'off',
} as const;

/** A test opens thousands of connections, each of which would hash a password 4,096 times on both sides. */
export const QUICK_PASSWORDS = 'scram_iterations=1';

/** For tests only: a crash of the machine loses everything. */
const FORGETFUL = {
  shared_buffers: '128MB',
  fsync: 'off',
  full_page_writes: 'off',
  synchronous_commit: 'off',
  autovacuum: 'off',
  max_wal_size: '512MB',
} as const;
