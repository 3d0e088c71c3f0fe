import { AGENTS } from './agents.ts';
import { API_KEYS } from './api-keys.ts';
import { AUDIT_LOG } from './audit-log.ts';
import { CIRCUIT_MONITORS } from './circuit-monitors.ts';
import { CIRCUIT_SNAPSHOTS } from './circuit-snapshots.ts';
import { DEVICE_SIGN_INS } from './device-sign-ins.ts';
import { IDENTITIES } from './identities.ts';
import { INSTRUMENT_REFRESHES } from './instrument-refreshes.ts';
import { INSTRUMENTS } from './instruments.ts';
import { JOB_RUNS } from './job-runs.ts';
import { LEGAL_ACCEPTANCES } from './legal-acceptances.ts';
import { LOGIN_ATTEMPTS } from './login-attempts.ts';
import { OWNERS } from './owners.ts';
import { PASSKEY_CHALLENGES } from './passkey-challenges.ts';
import { PASSKEYS } from './passkeys.ts';
import { PEG_OBSERVATIONS } from './peg-observations.ts';
import { PROVIDER_LOGINS } from './provider-logins.ts';
import { RECOVERY_CODES } from './recovery-codes.ts';
import { SERVICE_PROCESSES } from './service-processes.ts';
import { SESSIONS } from './sessions.ts';
import { SOURCE_HEALTH } from './source-health.ts';
import { SYMBOL_FILES } from './symbol-files.ts';
import { TOTP_SECRETS } from './totp-secrets.ts';
import { WEBHOOKS } from './webhooks.ts';
import { WORKFLOW_PUBLICATIONS } from './workflow-publications.ts';
import { WORKFLOW_SNAPSHOTS } from './workflow-snapshots.ts';
import { WORKFLOWS } from './workflows.ts';

/**
 * The tables that repositories serve, each as it is now: a file per table, of the table's name. The migrations alone make
 * and change tables; a test compares every entity with the database's catalogue. No relations: a join is written where
 * it is needed.
 */
export const ENTITIES = [
  OWNERS,
  AGENTS,
  API_KEYS,
  SESSIONS,
  TOTP_SECRETS,
  RECOVERY_CODES,
  PASSKEYS,
  PASSKEY_CHALLENGES,
  IDENTITIES,
  LOGIN_ATTEMPTS,
  PROVIDER_LOGINS,
  DEVICE_SIGN_INS,
  LEGAL_ACCEPTANCES,
  AUDIT_LOG,
  WORKFLOWS,
  WORKFLOW_SNAPSHOTS,
  WORKFLOW_PUBLICATIONS,
  WEBHOOKS,
  CIRCUIT_MONITORS,
  CIRCUIT_SNAPSHOTS,
  PEG_OBSERVATIONS,
  INSTRUMENTS,
  INSTRUMENT_REFRESHES,
  SYMBOL_FILES,
  SOURCE_HEALTH,
  SERVICE_PROCESSES,
  JOB_RUNS,
] as const;
