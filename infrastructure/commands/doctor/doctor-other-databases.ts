import type pg from 'pg';
import { schemaOwner } from '../../database/database-check.ts';
import { type DoctorCheck, failed, ok } from './doctor-check.ts';
import { findingsAt } from './doctor-connection.ts';

/** Checks that MIGRATION_DATABASE_URL leads to the database of DATABASE_URL, as the owner of its schema. Never throws. */
export function migrationFindings(url: string, serviceUrl: string): Promise<readonly DoctorCheck[]> {
  return findingsAt(MIGRATION, url, 'MIGRATION_DATABASE_URL', (client) =>
    findingsAt(MIGRATION, serviceUrl, 'DATABASE_URL', async (service) => [await migrationFinding(client, service)]),
  );
}

const MIGRATION = 'migration database';

async function migrationFinding(owner: pg.Client, service: pg.Client): Promise<DoctorCheck> {
  if ((await identityOf(owner)) !== (await identityOf(service))) {
    const advice = 'Name the same server and database in both variables.';
    return failed(MIGRATION, 'MIGRATION_DATABASE_URL and DATABASE_URL lead to different databases', advice);
  }
  const { role, owner: schema } = await schemaOwner(owner);
  if (schema === null || schema.isOwn) return ok(MIGRATION, `the database of DATABASE_URL, as ${role}`);
  const advice = 'Use the role that ran the first migrations.';
  return failed(MIGRATION, `the role ${role} does not own the schema, so it cannot run migrations`, advice);
}

/** Two connections have it in common if they lead to one database of one server. */
async function identityOf(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ identity: string }>(
    `select oid || ' ' || system_identifier || ' ' || pg_is_in_recovery() as identity
    from pg_database, pg_control_system() where datname = current_database()`,
  );
  return rows[0]?.identity ?? '';
}

/** Checks that DATABASE_READ_URL leads to a replica of DATABASE_URL that is not far behind. Never throws. */
export function replicaFindings(url: string, serviceUrl: string): Promise<readonly DoctorCheck[]> {
  return findingsAt(REPLICA, url, 'DATABASE_READ_URL', (replica) =>
    findingsAt(REPLICA, serviceUrl, 'DATABASE_URL', async (primary) => [await replicaFinding(replica, primary)]),
  );
}

const REPLICA = 'replica';

/** Bytes of the log, a segment of it. */
const LONGEST_LAG = 16 * 1024 * 1024;

async function replicaFinding(replica: pg.Client, primary: pg.Client): Promise<DoctorCheck> {
  const there = await positionOf(replica);
  if (!there.standby) {
    const advice = 'Name a streaming replica in DATABASE_READ_URL, or remove the variable.';
    return failed(REPLICA, 'DATABASE_READ_URL leads to a server that is no replica', advice);
  }
  // Read after the position of the replica, so that the primary is never behind it.
  const here = await positionOf(primary);
  const lag = Number(here.position) - Number(there.position);
  if (there.cluster !== here.cluster || lag < 0) {
    const advice = 'Make a replica of the server of DATABASE_URL; until then the primary answers its reads.';
    return failed(REPLICA, 'the replica follows another primary than the server of DATABASE_URL', advice);
  }
  const text = `a replica of the server of DATABASE_URL, ${lag} bytes of the log behind`;
  if (lag <= LONGEST_LAG) return ok(REPLICA, text);
  return failed(REPLICA, text, 'Check pg_stat_replication on the primary, which answers the reads until then.');
}

interface LogState {
  readonly standby: boolean;
  /** Primary and replicas have it in common. */
  readonly cluster: string;
  /** Bytes of the log that are flushed, on a replica those that are replayed. */
  readonly position: string;
}

async function positionOf(client: pg.Client): Promise<LogState> {
  const { rows } = await client.query<LogState>(
    `select pg_is_in_recovery() as standby, system_identifier::text as cluster,
      (case when pg_is_in_recovery() then pg_last_wal_replay_lsn() else pg_current_wal_flush_lsn() end
        - '0/0'::pg_lsn)::text as position
    from pg_control_system()`,
  );
  const [state] = rows;
  if (!state) throw new Error('The server returned no position of its log.');
  return state;
}
