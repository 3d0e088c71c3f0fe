import { AsyncLocalStorage } from 'node:async_hooks';
import type { Storage, Stores } from '../../application/ports.ts';
import { type OpenTransaction, transactionScope, wrapCalls } from '../../application/transaction-scope.ts';
import type { CircuitSnapshot } from '../../domain/circuits/circuit.ts';
import type { Job } from '../../domain/jobs.ts';
import type { Plan } from '../../domain/log/plan.ts';
import { type ErasureTables, memoryErasures } from './accounts/erasure-store.ts';
import { type FactorTables, memoryFactors, memoryPasskeys } from './accounts/factor-stores.ts';
import { type KeyRow, memoryApiKeys } from './accounts/key-stores.ts';
import { memoryAccountControl, memoryAccounts, memoryOwnerAdministration } from './accounts/operator-stores.ts';
import {
  type LinkTables,
  memoryAgents,
  memoryLinks,
  memoryOwnerData,
  memoryOwnerOverview,
  memoryProfiles,
  type OverviewTables,
  type ProfileTables,
} from './accounts/own-stores.ts';
import {
  type DeviceSignInTables,
  type IdentityTables,
  memoryDeviceSignIns,
  memoryIdentities,
  memoryOwners,
  memoryProviderLogins,
  type ProviderLoginTables,
} from './accounts/provider-stores.ts';
import { type LoginTables, memoryLogins, memorySessions, type SessionTables } from './accounts/sign-in-stores.ts';
import {
  type AuditTables,
  memoryAudit,
  memorySecurityEvents,
  type SecurityEventTables,
} from './accounts/trail-stores.ts';
import { type AtlasTables, memoryAtlas } from './atlas/atlas-store.ts';
import { type BacktestTables, memoryBacktests } from './backtests/backtest-store.ts';
import { memoryCircuits } from './circuits/circuit-store.ts';
import { type CohortTables, memoryCohortCells, memoryCohorts, noteListings } from './cohorts/cohort-reader.ts';
import { type DatasetTables, memoryDatasets } from './datasets/dataset-store.ts';
import { memoryIntake } from './decisions/decision-intake.ts';
import { memoryDecisions, memoryReplies } from './decisions/decision-reader.ts';
import type { DecisionRow, DecisionTables } from './decisions/decision-tables.ts';
import { memoryEvaluations } from './decisions/evaluation-store.ts';
import { memoryEvidence } from './decisions/evidence-reader.ts';
import { memoryGraph } from './decisions/graph-reader.ts';
import { memoryNamedRecords } from './decisions/named-records.ts';
import { memoryNotes } from './decisions/note-store.ts';
import { memoryOwnerRecords } from './decisions/owner-records.ts';
import { memoryRecall } from './decisions/recall-reader.ts';
import { memoryModeration, memoryQuarantined, memoryVerification } from './decisions/verification-store.ts';
import { type FeedTables, memoryEvents, noteFeedEvents } from './events/event-store.ts';
import { type BarCacheTables, memoryBarCache } from './instruments/bar-cache.ts';
import {
  memoryInstrumentList,
  memoryInstruments,
  memorySourceHealth,
  memorySymbols,
  type SourceHealthTables,
  type SymbolTables,
} from './instruments/instrument-store.ts';
import { memoryNames, type NameTables } from './instruments/name-store.ts';
import { type JobTables, memoryJobQueues, memoryJobs, nextJobAt, takeDueJobs } from './kit/jobs.ts';
import { Journal, oneAtATime, Table } from './kit/table.ts';
import { memoryLogEvidence, memorySignatures, type SignatureTables } from './log/log-evidence.ts';
import { memoryLog } from './log/log-store.ts';
import { type LogTables, noteLogEvents } from './log/log-tables.ts';
import { type MailTables, memoryMails } from './mail/mail-store.ts';
import { memoryPlans } from './plans/plan-store.ts';
import { notePlan, type PlanTables } from './plans/plan-tables.ts';
import { memoryProcesses, type ProcessTables } from './processes/process-store.ts';
import { memoryAdmission } from './quotas/admission-desk.ts';
import { type CreditRow, memoryKept, memoryQuotas } from './quotas/quota-tables.ts';
import { memoryDeliveries } from './webhooks/delivery-store.ts';
import { memoryWebhooks, type WebhookTables } from './webhooks/webhook-store.ts';
import { memoryWorkflowReader } from './workflows/workflow-reader.ts';
import { memorySnapshots, memoryWorkflows, type SnapshotTables } from './workflows/workflow-store.ts';

export interface MemoryOptions {
  /** The clock of this storage; the machine's by default. */
  readonly now?: () => Date;
}

export interface MemoryStorage extends Storage {
  /** Takes the sweeps off the queue that are due now; the caller runs them. */
  takeDueJobs(): Promise<readonly Job[]>;
  /** When the next sweep is due; null when none is asked for. */
  nextJobAt(): Promise<Date | null>;
  /** For tests: what no store of this storage writes. */
  readonly arrange: Arrange;
}

/**
 * The storage of the service in the memory of one process, with every promise of the ports: each call of a store and
 * each transaction happens as a whole and alone, and leaves no trace when it throws.
 */
export function openMemory({ now = () => new Date() }: MemoryOptions = {}): MemoryStorage {
  const journal = new Journal();
  const tables = makeTables(journal, now);
  const inTurn = oneAtATime();
  const wholly = <T>(work: () => Promise<T>): Promise<T> => inTurn(() => journal.keepOrUndo(work));
  const scope = transactionScope(new AsyncLocalStorage<OpenTransaction>());

  const atlas = memoryAtlas(tables, now);
  const stores: Stores = {
    owners: memoryOwners(tables, now),
    agents: memoryAgents(tables, now),
    apiKeys: memoryApiKeys(tables, now),
    sessions: memorySessions(tables, now),
    logins: memoryLogins(tables, now),
    factors: memoryFactors(tables, now),
    passkeys: memoryPasskeys(tables, now),
    profiles: memoryProfiles(tables),
    ownerData: memoryOwnerData(tables),
    ownerAdministration: memoryOwnerAdministration(tables, now),
    erasures: memoryErasures(tables, now),
    accountControl: memoryAccountControl(tables, now),
    identities: memoryIdentities(tables),
    providerLogins: memoryProviderLogins(tables, now),
    deviceSignIns: memoryDeviceSignIns(tables, now),
    webhooks: memoryWebhooks(tables, now),
    links: memoryLinks(tables, now),
    mails: memoryMails(tables, now),
    keyExpiry: memoryEvents(tables, now),
    instruments: memoryInstruments(tables),
    circuits: memoryCircuits(tables, now),
    workflows: memoryWorkflows(tables, now),
    workflowSnapshots: memorySnapshots(tables, now),
    decisions: memoryDecisions(tables),
    verification: memoryVerification(tables),
    evaluations: memoryEvaluations(tables),
    moderation: memoryModeration(tables),
    notes: memoryNotes(tables, now),
    atlas,
    jobs: memoryJobs(tables, now),
    audit: memoryAudit(tables, now),
    securityEvents: memorySecurityEvents(tables, now),
    log: memoryLog(tables, now),
    signatures: memorySignatures(tables, now),
    plans: memoryPlans(tables, now),
    backtests: memoryBacktests(tables, now),
    kept: memoryKept(tables, now),
    listedSymbols: memorySymbols(tables),
    names: memoryNames(tables, now),
    namedRecords: memoryNamedRecords(tables, now),
    sourceHealth: memorySourceHealth(tables),
    processes: memoryProcesses(tables),
  };
  const alone = {
    ...stores,
    intake: memoryIntake(tables, now),
    replies: memoryReplies(stores.decisions),
    barCache: memoryBarCache(tables),
    events: memoryEvents(tables, now),
    deliveries: memoryDeliveries(tables, now),
    expiry: { passes: async () => [] },
    months: { addMissing: async () => undefined },
    quotas: memoryQuotas(tables, now),
    admission: memoryAdmission(tables, now),
    cohorts: memoryCohorts(tables),
    atlas,
    cohortCells: memoryCohortCells(),
    datasets: memoryDatasets(tables, now),
    evidence: memoryEvidence(tables),
    logEvidence: memoryLogEvidence(tables, now),
    graph: memoryGraph(tables),
    ownerRecords: memoryOwnerRecords(tables, now),
    recall: memoryRecall(tables),
    ownerOverview: memoryOwnerOverview(tables, now),
    accounts: memoryAccounts(tables),
    quarantined: memoryQuarantined(tables),
    instrumentList: memoryInstrumentList(tables),
    workflowReader: memoryWorkflowReader(tables),
    arrange: memoryArrange(tables, now),
    jobQueues: memoryJobQueues(tables, now),
    clock: { now: async () => now(), lastSeen: async () => now() },
    takeDueJobs: async () => takeDueJobs(tables, now()),
    nextJobAt: async () => nextJobAt(tables),
    transaction: <T>(work: (own: Stores) => Promise<T>) => scope.inside(stores, work),
  };
  return scope.outside(wrapCalls(alone, (_, call) => wholly(async () => call())));
}

function makeTables(
  journal: Journal,
  now: () => Date,
): AtlasTables &
  BarCacheTables &
  DecisionTables &
  FeedTables &
  JobTables &
  AuditTables &
  SecurityEventTables &
  SymbolTables &
  NameTables &
  SourceHealthTables &
  ProcessTables &
  SessionTables &
  LoginTables &
  FactorTables &
  ProfileTables &
  IdentityTables &
  ProviderLoginTables &
  DeviceSignInTables &
  ErasureTables &
  OverviewTables &
  CohortTables &
  DatasetTables &
  LogTables &
  PlanTables &
  BacktestTables &
  SignatureTables &
  SnapshotTables &
  LinkTables &
  MailTables &
  WebhookTables {
  const table = <Row extends object>() => new Table<string, Row>(journal);
  const listings: CohortTables['listings'] = table();
  const logEvents: LogTables['logEvents'] = table();
  const pendingPlans: LogTables['pendingPlans'] = table();
  const feedEvents: FeedTables['feedEvents'] = table();
  const [noteListing, noteEvents] = [noteListings(listings), noteLogEvents(logEvents, now)];
  const feed = noteFeedEvents(feedEvents, now);
  const decisions = new Table<string, DecisionRow>(journal, (...change) => {
    noteListing(...change);
    noteEvents(...change);
    feed.ofDecision(...change);
  });
  return {
    owners: table(),
    agents: table(),
    keys: new Table<string, KeyRow>(journal, (_, ...change) => feed.ofKey(...change)),
    sessions: table(),
    loginAttempts: table(),
    totpSecrets: table(),
    recoveryCodes: table(),
    factorResets: table(),
    passkeys: table(),
    passkeyChallenges: table(),
    acceptances: table(),
    preferences: table(),
    readMarks: table(),
    identities: table(),
    providerLogins: table(),
    deviceSignIns: table(),
    erasures: table(),
    webhooks: table(),
    deliveries: table(),
    links: table(),
    mails: table(),
    instruments: table(),
    refreshes: table(),
    jobs: table(),
    decisions,
    listings,
    notes: table(),
    feedEvents,
    logs: table(),
    logEvents,
    plans: new Table<string, Plan>(journal, (...change) => notePlan(pendingPlans, now())(...change)),
    pendingPlans,
    askedQuestions: table(),
    backtestSets: table(),
    backtestRows: table(),
    backtestClaims: table(),
    logPlans: table(),
    logDecisions: table(),
    logHeads: table(),
    logDatasets: table(),
    logNames: table(),
    datasets: table(),
    datasetParts: table(),
    logTiles: table(),
    logBundles: table(),
    logCheckpoints: table(),
    logKeys: table(),
    logSignatures: table(),
    logWitnesses: table(),
    evidence: table(),
    evidenceBars: table(),
    idempotency: table(),
    cooldowns: table(),
    agentSubmissions: table(),
    retroactiveDays: table(),
    circuits: table(),
    circuitSnapshots: new Table<string, CircuitSnapshot>(journal, (_, snapshot) => feed.ofCircuit(snapshot)),
    circuitMonitors: table(),
    pegObservations: table(),
    workflows: table(),
    snapshots: table(),
    publications: table(),
    barSeries: table(),
    agentCounts: table(),
    atlas: table(),
    audit: table(),
    securityEvents: table(),
    symbols: table(),
    symbolFiles: table(),
    names: table(),
    sourceReports: table(),
    serviceProcesses: table(),
    jobRuns: table(),
    faultyRecords: table(),
    serviceMinutes: table(),
    quotas: table(),
    creditLedger: new Table<string, CreditRow>(journal, (_, credit) => {
      const row = decisions.get(credit.record_id);
      if (row) feed.ofCredit(credit, row);
    }),
    windows: table(),
    floors: table(),
    keptDays: table(),
  };
}

/** Marks that operators and owners set on a record. */
export interface RecordMarks {
  readonly archived_at?: Date;
  /** Puts the record under quarantine. */
  readonly quarantine_reason?: string;
}

/** Facts that are written outside of the submission path, put in place as if their own writer had written them. */
export interface Arrange {
  mark(record_id: string, marks: RecordMarks): Promise<void>;
}

function memoryArrange(tables: Pick<DecisionTables, 'decisions'> & AuditTables, now: () => Date): Arrange {
  const { decisions } = tables;
  return {
    async mark(record_id, marks) {
      const row = decisions.get(record_id);
      if (!row) throw new Error(`There is no record ${record_id}.`);
      const quarantined = marks.quarantine_reason === undefined ? {} : QUARANTINED;
      decisions.set(record_id, { ...row, ...marks, ...quarantined });
      if (marks.quarantine_reason === undefined) return;
      await memoryAudit(tables, now).append({ actor: 'a test', action: 'quarantine', subject: record_id, detail: {} });
    },
  };
}

const QUARANTINED = { lifecycle_state: 'quarantined', due_at: null, eval_token: null } as const;
