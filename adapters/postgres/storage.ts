import { AsyncLocalStorage } from 'node:async_hooks';
import type { Storage, Stores } from '../../application/ports.ts';
import { type OpenTransaction, transactionScope } from '../../application/transaction-scope.ts';
import type { JobQueue, JobQueues } from '../../domain/jobs.ts';
import { postgresAccountControl, postgresAccounts } from './accounts/account-control.ts';
import { postgresApiKeys } from './accounts/api-key-store.ts';
import { postgresErasures } from './accounts/erasure-store.ts';
import { postgresFactors, postgresPasskeys } from './accounts/factor-stores.ts';
import { postgresAgents, postgresProfiles } from './accounts/own-stores.ts';
import { postgresOwnerAdministration } from './accounts/owner-administration.ts';
import { postgresOwnerData } from './accounts/owner-data.ts';
import { postgresOwnerOverview } from './accounts/owner-overview.ts';
import {
  postgresDeviceSignIns,
  postgresIdentities,
  postgresOwners,
  postgresProviderLogins,
} from './accounts/provider-stores.ts';
import { postgresLinks, postgresLogins, postgresSessions } from './accounts/sign-in-stores.ts';
import { postgresAudit, postgresSecurityEvents } from './accounts/trail-stores.ts';
import { postgresAtlas } from './atlas/atlas-store.ts';
import { postgresBacktests } from './backtests/backtest-store.ts';
import { postgresCircuits } from './circuits/circuit-store.ts';
import { postgresCohortCells } from './cohorts/cohort-cells.ts';
import { readRollups } from './cohorts/cohort-plan.ts';
import { postgresCohorts } from './cohorts/cohort-reader.ts';
import { postgresDatasets } from './datasets/dataset-store.ts';
import { postgresIntake } from './decisions/decision-intake.ts';
import { postgresDecisions } from './decisions/decision-reader.ts';
import { postgresEvaluations } from './decisions/evaluation-store.ts';
import { postgresEvidence } from './decisions/evidence-reader.ts';
import { postgresGraph } from './decisions/graph-reader.ts';
import { postgresModeration, postgresQuarantined, postgresVerification } from './decisions/moderation.ts';
import { postgresNamedRecords } from './decisions/named-records.ts';
import { postgresNotes } from './decisions/note-store.ts';
import { postgresOwnerRecords } from './decisions/owner-records.ts';
import { postgresRecall } from './decisions/recall-reader.ts';
import { postgresMonths } from './decisions/record-months.ts';
import { postgresReplies, type ReplyOptions, type ReplyUse } from './decisions/stored-replies.ts';
import { postgresEvents } from './events/event-store.ts';
import { postgresBarCache } from './instruments/bar-cache.ts';
import {
  postgresInstrumentList,
  postgresInstruments,
  postgresSourceHealth,
  postgresSymbols,
} from './instruments/instrument-store.ts';
import { postgresNames } from './instruments/name-store.ts';
import { openDataSource, type PostgresOptions, poolSql } from './kit/data-source.ts';
import { expiryProgress } from './kit/expired-rows.ts';
import { type PoolUse, poolUse } from './kit/pool.ts';
import { type ReplicaOptions, type ReplicaUse, readingReplica, trackPosition } from './kit/replica.ts';
import { hasDiskRoom, postgresClock, type Sql } from './kit/sql.ts';
import { transactionsOf } from './kit/transaction.ts';
import { postgresLogEvidence, postgresSignatures } from './log/log-evidence.ts';
import { postgresLog } from './log/log-store.ts';
import { postgresMails } from './mail/mail-store.ts';
import { postgresPlans } from './plans/plan-store.ts';
import { postgresProcesses } from './processes/process-store.ts';
import { postgresAdmission } from './quotas/admission-desk.ts';
import { postgresKept, postgresQuotas } from './quotas/quota-reader.ts';
import { postgresDeliveries } from './webhooks/delivery-store.ts';
import { postgresWebhooks } from './webhooks/webhook-store.ts';
import { postgresSnapshots, postgresWorkflowReader, postgresWorkflows } from './workflows/workflow-store.ts';

/** A job queue in the same database. */
export interface JobsOnSql {
  readonly queue: JobQueue;
  /** Enqueues by statements of a transaction, so that a job is kept or undone with it. */
  inTransaction(sql: Pick<Sql, 'rows'>): JobQueue;
  /** What waits and runs. */
  readonly states: JobQueues;
  close(): Promise<void>;
}

export interface StorageOptions extends PostgresOptions {
  /** A replica for what everybody may read; without it the database answers that itself. */
  readonly replica?: Pick<ReplicaOptions, 'url' | 'onTrouble'> | null;
  /** Where replies are stored; without it none is. */
  readonly replies?: ReplyOptions;
  /** See `postgresAtlas`. */
  readonly atlasRests?: number;
  openJobs(pool: Pick<Sql, 'rows'>): Promise<JobsOnSql>;
}

export interface PostgresStorage extends Storage {
  /** Waits for statements under way and closes the pool. */
  close(): Promise<void>;
  poolUse(): PoolUse;
  /** Whether the database can write `DISK.probeBytes` more. */
  hasDiskRoom(): Promise<boolean>;
  readonly replyUse: ReplyUse;
  /** null where there is none. */
  readonly replica: ReplicaUse | null;
}

/** The storage of the service on PostgreSQL; migrations have been run. Throws when the database cannot be reached. */
export async function openPostgres(options: StorageOptions): Promise<PostgresStorage> {
  const source = await openDataSource(options);
  const pool = poolSql(source, options);
  const giveUp = async (error: unknown): Promise<never> => {
    await source.destroy();
    throw error;
  };
  const rollups = await readRollups(pool).catch(giveUp);
  const jobs = await options.openJobs(pool).catch(giveUp);
  const transact = transactionsOf(source, options);
  const { clock, noteTime, newest } = postgresClock(pool);
  const { note: notePosition, newest: position } = trackPosition();
  const replica = options.replica
    ? readingReplica(pool, { poolSize: options.poolSize, position, ...options.replica })
    : null;
  const shared = replica?.sql ?? pool;
  const replies = postgresReplies(pool, shared, options.replies);
  const scope = transactionScope(new AsyncLocalStorage<OpenTransaction>());

  const storesOver = (sql: Sql, queue: JobQueue): Stores => ({
    owners: postgresOwners(sql),
    agents: postgresAgents(sql),
    apiKeys: postgresApiKeys(sql),
    sessions: postgresSessions(sql),
    logins: postgresLogins(sql),
    factors: postgresFactors(sql),
    passkeys: postgresPasskeys(sql),
    profiles: postgresProfiles(sql),
    ownerData: postgresOwnerData(sql),
    ownerAdministration: postgresOwnerAdministration(sql),
    erasures: postgresErasures(sql),
    accountControl: postgresAccountControl(sql),
    identities: postgresIdentities(sql),
    providerLogins: postgresProviderLogins(sql),
    deviceSignIns: postgresDeviceSignIns(sql),
    webhooks: postgresWebhooks(sql),
    links: postgresLinks(sql),
    mails: postgresMails(sql),
    keyExpiry: postgresEvents(sql),
    decisions: postgresDecisions(sql),
    verification: postgresVerification(sql),
    evaluations: postgresEvaluations(sql),
    moderation: postgresModeration(sql),
    notes: postgresNotes(sql),
    instruments: postgresInstruments(sql),
    circuits: postgresCircuits(sql),
    workflows: postgresWorkflows(sql),
    workflowSnapshots: postgresSnapshots(sql),
    atlas: postgresAtlas(sql, options.atlasRests),
    jobs: queue,
    audit: postgresAudit(sql),
    securityEvents: postgresSecurityEvents(sql),
    log: postgresLog(sql),
    signatures: postgresSignatures(sql),
    plans: postgresPlans(sql),
    backtests: postgresBacktests(sql),
    kept: postgresKept(sql),
    listedSymbols: postgresSymbols(sql),
    names: postgresNames(sql),
    namedRecords: postgresNamedRecords(sql),
    sourceHealth: postgresSourceHealth(sql),
    processes: postgresProcesses(sql),
  });

  const outer = scope.outside({
    ...storesOver(pool, jobs.queue),
    decisions: postgresDecisions(pool, shared),
    verification: postgresVerification(pool),
    evaluations: postgresEvaluations(pool),
    intake: postgresIntake(pool, noteTime),
    replies: replies.store,
    barCache: postgresBarCache(pool),
    events: postgresEvents(pool),
    deliveries: postgresDeliveries(pool),
    expiry: expiryProgress(pool),
    months: postgresMonths(pool),
    quotas: postgresQuotas(pool),
    admission: postgresAdmission(pool, { noteTime, newest }, replica ? { notePosition } : {}),
    cohorts: postgresCohorts(shared, rollups),
    atlas: postgresAtlas(shared, options.atlasRests),
    cohortCells: postgresCohortCells(pool),
    datasets: postgresDatasets(pool),
    graph: postgresGraph(shared),
    evidence: postgresEvidence(pool),
    logEvidence: postgresLogEvidence(pool),
    ownerRecords: postgresOwnerRecords(pool),
    recall: postgresRecall(pool),
    ownerOverview: postgresOwnerOverview(pool),
    accounts: postgresAccounts(pool),
    quarantined: postgresQuarantined(pool),
    instrumentList: postgresInstrumentList(pool),
    workflowReader: postgresWorkflowReader(shared),
    jobQueues: jobs.states,
    clock,
    transaction: <T>(work: (stores: Stores) => Promise<T>) =>
      transact((sql) => scope.inside(storesOver(sql, jobs.inTransaction(sql)), work)),
  });

  return {
    ...outer,
    poolUse: () => poolUse(source.pool),
    hasDiskRoom: () => hasDiskRoom(pool),
    replyUse: replies.use,
    replica,
    async close() {
      await jobs.close();
      await replica?.close();
      await source.destroy();
    },
  };
}
