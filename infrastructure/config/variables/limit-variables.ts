import { CONTRACT_LIMITS, SUBMIT_COUNTS } from '../../../domain/limits.ts';
import { SECOND } from '../../../domain/time.ts';
import * as shape from '../shapes.ts';
import { of } from '../variable.ts';

const MANY = 1_000_000_000;
/** Older cooldowns are deleted. */
const LONGEST_COOLDOWN = SUBMIT_COUNTS.keepCooldowns / SECOND;

/** The numbers of the contract that an operator may change (settled.md section 13). */
export const LIMITS = {
  LIMIT_RATE_PER_SECOND: of(
    shape.integer(1, MANY),
    String(CONTRACT_LIMITS.ratePerSecond),
    'Requests per API key and second.',
  ),
  LIMIT_RATE_PER_MINUTE: of(
    shape.integer(1, MANY),
    String(CONTRACT_LIMITS.ratePerMinute),
    'Requests per API key and minute.',
  ),
  LIMIT_QUERY_PER_DAY: of(
    shape.integer(0, MANY),
    String(CONTRACT_LIMITS.queryPerDay),
    'Cohort queries per owner and UTC day, before credit.',
  ),
  LIMIT_READ_PER_DAY: of(
    shape.integer(0, MANY),
    String(CONTRACT_LIMITS.readPerDay),
    'Reads of decisions per owner and UTC day.',
  ),
  LIMIT_CHECK_PER_DECISION: of(
    shape.integer(0, MANY),
    String(CONTRACT_LIMITS.checkPerDecision),
    'Outcome checks per owner, decision and UTC day.',
  ),
  LIMIT_SUBMITS_PER_HOUR: of(
    shape.integer(0, MANY),
    String(CONTRACT_LIMITS.submitsPerHour),
    'Accepted submissions per agent and UTC hour.',
  ),
  LIMIT_RETROACTIVE_PER_DAY: of(
    shape.integer(0, MANY),
    String(CONTRACT_LIMITS.retroactivePerDay),
    'Accepted retroactive submissions per owner and UTC day.',
  ),
  LIMIT_COOLDOWN_SECONDS: of(
    shape.integer(0, LONGEST_COOLDOWN),
    String(CONTRACT_LIMITS.cooldownSeconds),
    'Wait between submissions of one agent, symbol and direction; 0 turns it off.',
  ),
  LIMIT_ADDRESS_PER_MINUTE: of(
    shape.integer(1, MANY),
    String(CONTRACT_LIMITS.addressPerMinute),
    'Requests without credentials per client address and minute.',
  ),
  LIMIT_SIGNUPS_PER_MINUTE: of(
    shape.integer(1, MANY),
    String(CONTRACT_LIMITS.signupsPerMinute),
    'Registrations, logins and device starts per client address and minute.',
  ),
  LIMIT_PUBLIC_COHORTS_PER_MINUTE: of(
    shape.integer(1, MANY),
    String(CONTRACT_LIMITS.publicCohortsPerMinute),
    'Public cohorts per client address and minute, in a window of their own.',
  ),
  LIMIT_CREDENTIALED_PER_MINUTE: of(
    shape.integer(1, MANY),
    String(CONTRACT_LIMITS.credentialedPerMinute),
    'Requests with any credential per client address and minute, in each API process.',
  ),
  LIMIT_ACCOUNTS_PER_ADDRESS: of(
    shape.integer(0, MANY),
    String(CONTRACT_LIMITS.accountsPerAddress),
    'New accounts per client address and UTC day.',
  ),
  LIMIT_ACCOUNTS_PER_DAY: of(
    shape.integer(0, MANY),
    String(CONTRACT_LIMITS.accountsPerDay),
    'New accounts of all addresses per UTC day.',
  ),
  LIMIT_SUBMIT_MEAN_BYTES: of(
    shape.integer(0, MANY),
    String(CONTRACT_LIMITS.submitMeanBytes),
    'Mean bytes of the bodies that an agent may have accepted in a UTC hour, times LIMIT_SUBMITS_PER_HOUR.',
  ),
  LIMIT_AGENT_HOURS_PER_NETWORK: of(
    shape.integer(0, MANY),
    String(CONTRACT_LIMITS.agentHoursPerNetwork),
    'UTC hours of agents that begin with a submission from a client address, per UTC day.',
  ),
  LIMIT_PUBLICATIONS_PER_DAY: of(
    shape.integer(0, MANY),
    String(CONTRACT_LIMITS.publicationsPerDay),
    'Publications of workflows per owner and UTC day.',
  ),
  LIMIT_PUBLISHED_BYTES_PER_DAY: of(
    shape.integer(0, MANY),
    String(CONTRACT_LIMITS.publishedBytesPerDay),
    'Bytes of new snapshots of workflows per owner and UTC day.',
  ),
  LIMIT_ACCEPTANCES_PER_DAY: of(
    shape.integer(0, MANY),
    String(CONTRACT_LIMITS.acceptancesPerDay),
    'Acceptances of the terms per owner and UTC day.',
  ),
  LIMIT_ACCOUNT_CHANGES_PER_DAY: of(
    shape.integer(0, MANY),
    String(CONTRACT_LIMITS.accountChangesPerDay),
    'Changes of keys, agents and webhooks per owner and UTC day, except those that only take rights away.',
  ),
  LIMIT_NOTES_PER_DAY: of(
    shape.integer(0, MANY),
    String(CONTRACT_LIMITS.notesPerDay),
    'Notes on evaluated records per owner and UTC day.',
  ),
  LIMIT_KEPT_OWNERS_PER_NETWORK: of(
    shape.integer(1, MANY),
    String(CONTRACT_LIMITS.keptOwnersPerNetwork),
    'How many times what one owner may keep in a UTC day a client address may.',
  ),
  LIMIT_BACKTEST_ROWS_PER_DAY: of(
    shape.integer(0, MANY),
    String(CONTRACT_LIMITS.backtestRowsPerDay),
    'New rows of back-tests per owner and UTC day.',
  ),
  LIMIT_BACKTEST_ROWS: of(
    shape.integer(0, MANY),
    String(CONTRACT_LIMITS.backtestRows),
    'Rows of back-tests that an owner may have.',
  ),
} as const;
