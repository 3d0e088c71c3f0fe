import type { FactorStore, OneTimeCodes } from '../domain/accounts/factors/factor.ts';
import type { PasskeyStore, PasskeyVerifier } from '../domain/accounts/factors/passkey.ts';
import type { AgentStore } from '../domain/accounts/keys/agent-store.ts';
import type { ApiKeyStore } from '../domain/accounts/keys/api-key.ts';
import type {
  AccountControl,
  AccountReader,
  OwnerAdministration,
} from '../domain/accounts/operators/owner-administration.ts';
import type { OwnerOverview, OwnerStore } from '../domain/accounts/owner.ts';
import type { ErasureStore, OwnerDataStore } from '../domain/accounts/owner-data.ts';
import type { ProfileStore } from '../domain/accounts/profile.ts';
import type { DeviceAuthorization } from '../domain/accounts/provider/device-sign-in.ts';
import type { DeviceSignInStore } from '../domain/accounts/provider/device-sign-in-store.ts';
import type {
  IdentityProvider,
  IdentityStore,
  ProviderLoginStore,
} from '../domain/accounts/provider/identity-provider.ts';
import type { SecurityEventStore } from '../domain/accounts/security-event.ts';
import type { LoginStore } from '../domain/accounts/sign-in/login-store.ts';
import type { LinkStore } from '../domain/accounts/sign-in/one-time-link.ts';
import type { PasswordHasher } from '../domain/accounts/sign-in/password.ts';
import type { SessionStore } from '../domain/accounts/sign-in/session.ts';
import type { AtlasExpiry, AtlasStore } from '../domain/atlas/atlas-store.ts';
import type { AuditLog } from '../domain/audit-log.ts';
import type { BacktestStore } from '../domain/backtests/backtest.ts';
import type { BackupMaker } from '../domain/backup.ts';
import type { CanonicalJson } from '../domain/canonical-json.ts';
import type { CircuitSnapshot, CircuitStore } from '../domain/circuits/circuit.ts';
import type { Coin } from '../domain/circuits/coin.ts';
import type { PegSource } from '../domain/circuits/peg.ts';
import type { CohortCells, CohortReader } from '../domain/cohorts/cohort-reader.ts';
import type { CohortRules } from '../domain/cohorts/suppression.ts';
import type { DatasetStore } from '../domain/datasets/dataset-row.ts';
import type { EvaluationStore } from '../domain/decisions/evaluation-store.ts';
import type { GraphReader } from '../domain/decisions/graph/graph.ts';
import type { NamedRecords } from '../domain/decisions/later-reading.ts';
import type { Moderation, QuarantinedRecords } from '../domain/decisions/moderation/moderation.ts';
import type { VerificationStore } from '../domain/decisions/moderation/verification.ts';
import type { NoteStore } from '../domain/decisions/own/notes.ts';
import type { OwnerRecords } from '../domain/decisions/own/owner-records.ts';
import type { RecordMonths } from '../domain/decisions/own/record-counts.ts';
import type { DecisionIntake } from '../domain/decisions/submission/decision-intake.ts';
import type { DecisionReader, EvidenceReader, StoredReplies } from '../domain/decisions/views/decision-reader.ts';
import type { FaultPart } from '../domain/decisions/views/record-fault.ts';
import type { EventStore } from '../domain/events/event.ts';
import type { ExpiryProgress, Job, JobQueue, JobQueues } from '../domain/jobs.ts';
import type { Limits } from '../domain/limits.ts';
import type { LogEvidence } from '../domain/log/log-evidence.ts';
import type { LogStore } from '../domain/log/log-store.ts';
import type { LogWriter } from '../domain/log/notes/log-key.ts';
import type { LogPolicy } from '../domain/log/notes/policy.ts';
import type { SignatureStore } from '../domain/log/notes/signature-store.ts';
import type { MailSender, MailStore } from '../domain/mail/mail.ts';
import type { BarCache } from '../domain/market/bar-cache.ts';
import type { Instrument } from '../domain/market/instrument.ts';
import type { InstrumentList, InstrumentStore } from '../domain/market/instrument-store.ts';
import type { MarketData } from '../domain/market/market-data.ts';
import type { NameStore } from '../domain/market/name-statement.ts';
import type { SourceHealthStore, SourceProbe } from '../domain/market/source-health.ts';
import type { SymbolDirectory, SymbolStore } from '../domain/market/symbol-directory.ts';
import type { Venues } from '../domain/market/venues.ts';
import type { PlanStore } from '../domain/plans/plan.ts';
import type { AdmissionDesk } from '../domain/quotas/admission.ts';
import type { KeptStore, QuotaReader } from '../domain/quotas/pools.ts';
import type { RecallReader } from '../domain/recall/recall.ts';
import type { ProcessStore } from '../domain/service-processes.ts';
import type { TableReaders, TableWriters } from '../domain/table.ts';
import type { Clock, Millis } from '../domain/time.ts';
import type { WebhookSender } from '../domain/webhooks/delivery.ts';
import type { DeliveryStore } from '../domain/webhooks/delivery-store.ts';
import type { WebhookStore } from '../domain/webhooks/webhook.ts';
import type { ConfigFaults } from '../domain/workflows/node-template.ts';
import type { SnapshotStore } from '../domain/workflows/snapshot.ts';
import type { WorkflowStore } from '../domain/workflows/workflow.ts';
import type { PackSkill, WorkflowYaml } from '../domain/workflows/workflow-files.ts';
import type { WorkflowReader } from '../domain/workflows/workflow-reader.ts';
import type { WriteZip } from '../domain/zip.ts';
import type { SecretValues } from './sealed-secret.ts';

/** The stores of a transaction. */
export interface Stores {
  readonly owners: OwnerStore;
  readonly agents: AgentStore;
  readonly apiKeys: ApiKeyStore;
  readonly sessions: SessionStore;
  readonly logins: LoginStore;
  readonly factors: FactorStore;
  readonly passkeys: PasskeyStore;
  readonly profiles: ProfileStore;
  readonly ownerData: OwnerDataStore;
  readonly ownerAdministration: OwnerAdministration;
  readonly erasures: ErasureStore;
  readonly accountControl: AccountControl;
  readonly identities: IdentityStore;
  readonly providerLogins: ProviderLoginStore;
  readonly deviceSignIns: DeviceSignInStore;
  readonly webhooks: WebhookStore;
  readonly links: LinkStore;
  readonly mails: MailStore;
  /** That of `events`, inside a transaction. */
  readonly keyExpiry: Pick<EventStore, 'noteExpiringKeys'>;
  readonly decisions: DecisionReader;
  readonly verification: VerificationStore;
  readonly evaluations: EvaluationStore;
  readonly moderation: Moderation;
  readonly notes: NoteStore;
  readonly instruments: InstrumentStore;
  readonly circuits: CircuitStore;
  readonly workflows: WorkflowStore;
  readonly workflowSnapshots: SnapshotStore;
  readonly atlas: AtlasExpiry;
  readonly jobs: JobQueue;
  readonly audit: AuditLog;
  readonly securityEvents: SecurityEventStore;
  readonly log: LogStore;
  readonly signatures: SignatureStore;
  readonly plans: PlanStore;
  readonly backtests: BacktestStore;
  readonly kept: KeptStore;
  readonly listedSymbols: SymbolStore;
  readonly names: NameStore;
  readonly namedRecords: NamedRecords;
  readonly sourceHealth: SourceHealthStore;
  readonly processes: ProcessStore;
}

/** The storage: each method of a store is a transaction of its own, unless it is called inside `transaction`. */
export interface Storage extends Stores {
  /**
   * All or nothing: what `work` did through its stores is committed when it returns and rolled back when it throws. It
   * may run again after a serialisation failure or a deadlock. Inside it, another transaction and the outer stores
   * throw; once it has ended, so do its own stores.
   */
  transaction<T>(work: (stores: Stores) => Promise<T>): Promise<T>;
  readonly intake: DecisionIntake;
  readonly replies: StoredReplies;
  readonly barCache: BarCache;
  readonly events: EventStore;
  readonly deliveries: DeliveryStore;
  readonly expiry: ExpiryProgress;
  readonly months: RecordMonths;
  readonly quotas: QuotaReader;
  readonly admission: AdmissionDesk;
  readonly cohorts: CohortReader;
  readonly cohortCells: CohortCells;
  readonly datasets: DatasetStore;
  readonly graph: GraphReader;
  readonly evidence: EvidenceReader;
  readonly logEvidence: LogEvidence;
  readonly atlas: AtlasStore;
  readonly ownerRecords: OwnerRecords;
  readonly recall: RecallReader;
  readonly ownerOverview: OwnerOverview;
  readonly accounts: AccountReader;
  readonly quarantined: QuarantinedRecords;
  readonly instrumentList: InstrumentList;
  readonly workflowReader: WorkflowReader;
  readonly jobQueues: JobQueues;
  readonly clock: Clock;
}

/** Everything through which the use cases reach the world outside. */
export interface Ports extends Storage {
  readonly marketData: MarketData;
  /**
   * The bar files alone, whichever sources are configured: they grade retroactive windows that lie wholly inside them
   * when no source verifies the instrument.
   */
  readonly barFiles: MarketData;
  readonly symbols: SymbolDirectory;
  /** The venues of the table and those that the operator adds. */
  readonly venues: Venues;
  /** null where no exchange is configured. */
  readonly pegSource: PegSource | null;
  /** A request to each live source that is configured, with clients of their own; none without the network. */
  readonly sourceProbes: () => readonly SourceProbe[];
  readonly passwords: PasswordHasher;
  readonly oneTimeCodes: OneTimeCodes;
  readonly passkeyVerifier: PasskeyVerifier;
  /** null where none is set up: bearer tokens are then invalid, and sign-ins through it are OAUTH_NOT_CONFIGURED. */
  readonly identityProvider: IdentityProvider | null;
  /** The device flow of the same provider; null where none is set up. */
  readonly deviceAuthorization: DeviceAuthorization | null;
  /** null where this service sends no webhooks; then it has none. */
  readonly webhookSender: WebhookSender | null;
  /**
   * How many bytes of the primary's log the replica has not replayed; null while that cannot be found out. No function
   * where there is no replica.
   */
  readonly replicaLag: (() => Promise<number | null>) | null;
  readonly backupMaker: BackupMaker;
  /** null where no mail is set up: what needs one is MAIL_NOT_CONFIGURED. */
  readonly mailSender: MailSender | null;
  /** Loaded at the first call: most processes never judge a config. */
  readonly configFaults: () => Promise<ConfigFaults>;
  /** null where no evidence log is kept, or this process only reads it. */
  readonly logWriter: LogWriter | null;
  readonly canonicalJson: CanonicalJson;
  readonly workflowYaml: WorkflowYaml;
  readonly packSkill: PackSkill;
  readonly writeZip: WriteZip;
  readonly writeTable: TableWriters;
  readonly readTable: TableReaders;
  readonly settings: Settings;
  /**
   * Runs a sweep soon without making the caller wait. It may be lost when the process dies: the schedule then finds the
   * same work within a minute.
   */
  wake(job: Job): void;
  /** Announces a change of a circuit to the operators, after it is written. */
  announce(change: CircuitSnapshot): void;
  /** Announces to the operators that no source reports a coin's price any more (`stale`), or that one does again. */
  announcePeg(coin: Coin, peg: { readonly stale: boolean }): void;
  /** Announces to the operators that records were rejected because no source could verify their instrument in time. */
  announceUnverified(instrument: string, records: number): void;
  /** Notes for the operators that what is stored of a record cannot be read, and is left out of its views. */
  noteFault(record_id: string, parts: readonly FaultPart[]): void;
  /** Reports a fault of ours, which the use case itself survives, to the operators. */
  report(
    fault: unknown,
    about:
      | { readonly record_id: string }
      | { readonly instrument: string }
      | { readonly delivery_id: string }
      | { readonly mail_id: string },
  ): void;
}

/** The operator's settings that use cases need. */
export interface Settings {
  readonly limits: Limits;
  readonly refuseTrippedSubmits: boolean;
  /** Whether the monitor trips circuits by itself. */
  readonly autoTrip: boolean;
  /** From where on a cohort is shown. */
  readonly wisdom: CohortRules;
  /** Whether everybody may count cohorts, without credentials. */
  readonly publicCohorts: boolean;
  /** What public snapshots of cohorts are published under, as an SPDX identifier; null where none are published. */
  readonly dataSnapshots: { readonly licence: string } | null;
  /** The versions that can be accepted; the last one is current. */
  readonly legal: { readonly terms: readonly string[]; readonly privacy: readonly string[] };
  /** Whether others than owners see the evidence log. */
  readonly publicLog: boolean;
  /** Whether proofs for everybody may contain the bars that a grade was computed from. */
  readonly redistributeBars: boolean;
  /** Instruments that are preferred to the usual references of venues (evaluation-3.md section 7); none unless given. */
  readonly marketReferences?: readonly Instrument[];
  /** How long security events are kept. */
  readonly securityEventsKept: Millis;
  /** How long after a login its owner may make and raise keys. */
  readonly reauthenticateAfter: Millis;
  /** Whether webhooks may also be sent to loopback and private networks, and by http. */
  readonly webhookAllowPrivate: boolean;
  /** Whether the service observes the prices of stablecoins. */
  readonly watchesPegs: boolean;
  /** Whether the status of the service names it as a problem that the command line makes no backups. */
  readonly expectsBackups: boolean;
  /** Which witnesses are asked to cosign the evidence log; null where none are. */
  readonly logPolicy: LogPolicy | null;
  /** The hosts of the time-stamp authorities that stamp its checkpoints. */
  readonly timestampAuthorities: readonly string[];
  /** Whether the admin area needs a session or token with a second factor. */
  readonly adminFactorRequired: boolean;
  /** Whether all that owners do by session or token needs one; then the admin area does, too. */
  readonly ownerFactorRequired: boolean;
  /** The origin of PUBLIC_URL, to which passkeys are bound, and with which links of mails begin; null without it. */
  readonly publicOrigin: string | null;
  /** SESSION_SECRET, equal on every node, and its former values: other keys derive from it. */
  readonly sessionSecret: SecretValues;
}
