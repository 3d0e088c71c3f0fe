/**
 * How each stored value is protected (docs/your-data.md). Three of the words are forms of one level, `secret`: `hashed`,
 * `sealed` (encrypted under a key that is not in the database), and `brief` (plain, and void within minutes).
 */
export type ProtectionLevel = 'public' | 'internal' | 'personal' | 'hashed' | 'sealed' | 'brief';

/** The level of a table, and the columns that have another one. */
export interface TableProtection {
  readonly level: ProtectionLevel;
  readonly except: Readonly<Record<string, ProtectionLevel>>;
}

/** Each table of the schema. A value is at the level of the strictest reader that it has to be kept from. */
export const PROTECTION: Readonly<Record<string, TableProtection>> = {
  // What an owner is known by, signs in with, and sets.
  owners: personal({ password_hash: 'hashed' }),
  identities: personal(),
  agents: personal(),
  api_keys: personal({ key_hash: 'hashed' }),
  api_key_uses: personal(),
  sessions: personal({ session_hash: 'hashed' }),
  totp_secrets: personal({ secret: 'sealed', pending: 'sealed' }),
  recovery_codes: personal({ code_hash: 'hashed' }),
  factor_resets: personal(),
  passkeys: personal(),
  passkey_challenges: internal({ challenge_hash: 'hashed', bound_to: 'hashed' }),
  provider_logins: internal({ state_hash: 'hashed', browser_hash: 'hashed', nonce: 'brief', code_verifier: 'brief' }),
  device_sign_ins: personal({ code_hash: 'hashed', sealed_code: 'sealed' }),
  one_time_links: personal({ token_hash: 'hashed', bound_to: 'hashed' }),
  login_attempts: internal({ account_hash: 'hashed' }),
  legal_acceptances: personal(),
  erasures: internal(),
  mails: personal({ address_hash: 'hashed', content: 'sealed' }),
  webhooks: personal({ secret: 'sealed', former_secret: 'sealed' }),
  webhook_deliveries: personal(),
  workflows: personal(),
  workflow_publications: personal(),
  workflow_snapshots: personal(),

  // What agents submit, and what becomes of it: others see a part of it once it is graded.
  decisions: personal(),
  decision_documents: personal(),
  decision_notes: personal(),
  decision_relations: personal(),
  backtest_sets: personal(),
  backtest_instruments: personal(),
  backtest_rows: personal(),
  backtest_documents: personal(),
  backtest_notes: personal(),
  decision_outcomes: personal(),
  outcome_evidence: personal(),
  record_links: personal(),
  plans: personal(),
  asked_questions: personal(),
  question_counts: personal(),
  events: personal(),
  reply_texts: personal({ owner_text: 'sealed', public_text: 'sealed', owner_seal: 'sealed', public_seal: 'sealed' }),

  // Who did what.
  security_events: personal(),
  audit_log: personal(),

  // Counts and limits, under the ids of owners and agents.
  agent_counts: personal(),
  track_cells: personal(),
  track_tail: personal(),
  workflow_cells: internal(),
  cohort_cells: internal(),
  cohort_tail: internal(),
  cohort_rollups: internal(),
  cohort_removals: internal(),
  credit_ledger: personal(),
  quota_days: personal(),
  retroactive_days: personal(),
  submit_hours: personal(),
  agent_submissions: personal(),
  cooldowns: personal(),
  idempotency: personal(),
  rate_windows: personal(),
  kept_days: internal(),

  // The service itself.
  applied_functions: internal(),
  atlas_requests: internal(),
  circuit_monitors: internal(),
  expiry_passes: internal(),
  faulty_records: internal(),
  instrument_refreshes: internal(),
  job_runs: internal(),
  feed_start: internal(),
  limits_floor: internal(),
  secret_fingerprints: internal({ salt: 'hashed', fingerprint: 'hashed' }),
  service_processes: internal(),
  service_minutes: internal(),
  source_health: internal(),
  timelines: internal(),

  // Prices, of which a licence may keep some from others, and what is made of public records.
  instruments: open(),
  names: open(),
  symbols: open(),
  symbol_files: open(),
  evidence_bars: internal(),
  bar_stretches: internal(),
  peg_observations: open(),
  circuit_snapshots: open({ actor: 'internal' }),
  atlas: open(),
  atlas_seeds: open(),
  datasets: open(),
  dataset_files: open(),
  dataset_parts: open(),

  // The evidence log. Which leaf is of which decision, and the salts that open leaves, are their owners' until they are shown.
  logs: open(),
  log_keys: open(),
  log_checkpoints: open(),
  log_signatures: open(),
  log_tiles: open(),
  log_bundles: open(),
  log_datasets: open(),
  log_names: open(),
  log_witnesses: internal(),
  log_heads: internal(),
  log_decisions: personal(),
  log_outcomes: personal(),
  log_plans: personal(),
  log_pending: personal(),
  log_pending_plans: personal(),
};

/** The level of a column; null for a table that has none. */
export function levelOf(table: string, column: string): ProtectionLevel | null {
  const found = Object.hasOwn(PROTECTION, table) ? PROTECTION[table] : undefined;
  if (!found) return null;
  return (Object.hasOwn(found.except, column) ? found.except[column] : null) ?? found.level;
}

type Exceptions = TableProtection['except'];

function open(except: Exceptions = {}): TableProtection {
  return { level: 'public', except };
}

function internal(except: Exceptions = {}): TableProtection {
  return { level: 'internal', except };
}

function personal(except: Exceptions = {}): TableProtection {
  return { level: 'personal', except };
}
