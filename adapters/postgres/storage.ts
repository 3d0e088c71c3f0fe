import { AsyncLocalStorage } from 'node:async_hooks';
import type { Storage, Stores } from '../../application/ports.ts';
import { type OpenTransaction, transactionScope } from '../../application/transaction-scope.ts';
import type { JobQueue } from '../../domain/jobs.ts';
import { postgresAdmission } from './admission.ts';
import { postgresApiKeys } from './api-key-store.ts';
import { postgresAtlas } from './atlas-store.ts';
import { postgresAudit } from './audit-log.ts';
import { postgresBarCache } from './bar-cache.ts';
import { postgresCircuits } from './circuit-store.ts';
import { postgresClock } from './clock.ts';
import { postgresCohortCells } from './cohort-cells.ts';
import { postgresCohorts } from './cohort-reader.ts';
import { openDataSource, type PostgresOptions, poolSql } from './data-source.ts';
import { postgresIntake } from './decision-intake.ts';
import { postgresDecisions } from './decision-store.ts';
import { postgresDeviceSignIns } from './device-sign-in-store.ts';
import { postgresEvidence } from './evidence-reader.ts';
import { postgresGraph } from './graph-reader.ts';
import { postgresIdentities } from './identity-store.ts';
import { postgresInstruments } from './instrument-store.ts';
import { heardPosition } from './log-position.ts';
import { postgresLogins } from './login-store.ts';
import { postgresModeration } from './moderation.ts';
import { postgresOwnerData } from './owner-data.ts';
import { postgresOwnerOverview } from './owner-overview.ts';
import { postgresOwnerRecords } from './owner-records.ts';
import { postgresOwners } from './owner-store.ts';
import { type PoolUse, poolUse } from './pool-use.ts';
import { postgresProfiles } from './profile-store.ts';
import { postgresProviderLogins } from './provider-login-store.ts';
import { postgresQuotas } from './quota-reader.ts';
import { type ReplicaOptions, readingReplica } from './replica.ts';
import type { ReplicaUse } from './replica-use.ts';
import { postgresSessions } from './session-store.ts';
import { postgresSnapshots } from './snapshot-store.ts';
import { postgresSourceHealth } from './source-health.ts';
import type { Sql } from './sql.ts';
import { postgresSymbols } from './symbol-store.ts';
import { transactionsOf } from './transaction.ts';
import { postgresWorkflowReader } from './workflow-reader.ts';
import { postgresWorkflows } from './workflow-store.ts';

/** A job queue in the same database. */
export interface JobsOnSql {
  readonly queue: JobQueue;
  /** Enqueues by statements of a transaction, so that a job is kept or undone with it. */
  within(sql: Pick<Sql, 'rows'>): JobQueue;
  close(): Promise<void>;
}

export interface StorageOptions extends PostgresOptions {
  /** A replica for what everybody may read; without it the database answers that itself. */
  readonly replica?: Pick<ReplicaOptions, 'url' | 'onTrouble'> | null;
  /** See `postgresAtlas`. */
  readonly atlasRests?: number;
  openJobs(pool: Pick<Sql, 'rows'>): Promise<JobsOnSql>;
}

export interface PostgresStorage extends Storage {
  /** Waits for statements under way and closes the pool. */
  close(): Promise<void>;
  poolUse(): PoolUse;
  /** null where there is none. */
  readonly replica: ReplicaUse | null;
}

/** The storage of the service on PostgreSQL; migrations have been run. Throws when the database cannot be reached. */
export async function openPostgres(options: StorageOptions): Promise<PostgresStorage> {
  const source = await openDataSource(options);
  const pool = poolSql(source, options);
  const jobs = await options.openJobs(pool).catch(async (error: unknown) => {
    await source.destroy();
    throw error;
  });
  const transact = transactionsOf(source, options);
  const { clock, hear, newest } = postgresClock(pool);
  const { hear: hearPosition, newest: position } = heardPosition();
  const replica = options.replica
    ? readingReplica(pool, { poolSize: options.poolSize, position, ...options.replica })
    : null;
  const shared = replica?.sql ?? pool;
  const scope = transactionScope(new AsyncLocalStorage<OpenTransaction>());

  const storesOver = (sql: Sql, queue: JobQueue): Stores => ({
    owners: postgresOwners(sql),
    apiKeys: postgresApiKeys(sql),
    sessions: postgresSessions(sql),
    logins: postgresLogins(sql),
    profiles: postgresProfiles(sql),
    ownerData: postgresOwnerData(sql),
    identities: postgresIdentities(sql),
    providerLogins: postgresProviderLogins(sql),
    deviceSignIns: postgresDeviceSignIns(sql),
    decisions: postgresDecisions(sql),
    moderation: postgresModeration(sql),
    instruments: postgresInstruments(sql),
    circuits: postgresCircuits(sql),
    workflows: postgresWorkflows(sql),
    workflowSnapshots: postgresSnapshots(sql),
    atlas: postgresAtlas(sql, options.atlasRests),
    jobs: queue,
    audit: postgresAudit(sql),
    listedSymbols: postgresSymbols(sql),
    sourceHealth: postgresSourceHealth(sql),
  });

  const outer = scope.outside({
    ...storesOver(pool, jobs.queue),
    decisions: postgresDecisions(pool, shared),
    intake: postgresIntake(pool, hear),
    barCache: postgresBarCache(pool),
    quotas: postgresQuotas(pool),
    admission: postgresAdmission(pool, { hear, newest }, replica ? { hearPosition } : {}),
    cohorts: postgresCohorts(shared),
    atlas: postgresAtlas(shared, options.atlasRests),
    cohortCells: postgresCohortCells(pool),
    graph: postgresGraph(shared),
    evidence: postgresEvidence(pool),
    ownerRecords: postgresOwnerRecords(pool),
    ownerOverview: postgresOwnerOverview(pool),
    workflowReader: postgresWorkflowReader(shared),
    clock,
    transaction: <T>(work: (stores: Stores) => Promise<T>) =>
      transact((sql) => scope.inside(storesOver(sql, jobs.within(sql)), work)),
  });

  return {
    ...outer,
    poolUse: () => poolUse(source),
    replica,
    async close() {
      await jobs.close();
      await replica?.close();
      await source.destroy();
    },
  };
}
