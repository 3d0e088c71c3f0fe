import type { SubmissionOrigin } from '../decisions/call.ts';
import type { CohortException } from '../grading/cohort-exception.ts';
import { BACKTEST, type Limits, PLAN, QUOTA } from '../limits.ts';
import { type Millis, nextUtcDay } from '../time.ts';

const UNTOUCHED: PoolCount = { used: 0, credit: 0 };

/** The daily pools of an owner, which all of the owner's keys share (interface.md section 8). */
export const POOLS = ['query', 'read', 'check'] as const;
export type Pool = (typeof POOLS)[number];

/** The size of the pools without credit, per UTC day; for `check`, of each decision's own pool. */
type PoolLimits = Pick<Limits, 'queryPerDay' | 'readPerDay' | 'checkPerDecision'>;

/** What an owner has used of a pool on a day, and the credit earned on top of its base. */
export interface PoolCount {
  readonly used: number;
  readonly credit: number;
}

/** A pool on a day. Unless an operator has lowered the limit since, `used + remaining = limit`. */
export interface PoolState extends PoolCount {
  /** Everything that can be spent on this day, credit included. */
  readonly limit: number;
  readonly remaining: number;
  /** 00:00 UTC of the next day. */
  readonly reset: Date;
}

/** `remaining` is never below 0, also when the limit was lowered after more was used. */
export function poolState(base: number, { used, credit }: PoolCount, at: Millis): PoolState {
  const limit = base + credit;
  return { limit, used, credit, remaining: Math.max(0, limit - used), reset: new Date(nextUtcDay(at)) };
}

export function baseOf(pool: Pool, { queryPerDay, readPerDay, checkPerDecision }: PoolLimits): number {
  return { query: queryPerDay, read: readPerDay, check: checkPerDecision }[pool];
}

/** The count after a request takes its units; null when the pool holds too few, and then none is taken. */
export function takeUnits<Count extends PoolCount>(base: number, count: Count, units: number): Count | null {
  return count.used + units > base + count.credit ? null : { ...count, used: count.used + units };
}

/** The count of the day that a unit was taken from, after the unit is given back (settled.md section 7). */
export function giveUnitBack<Count extends PoolCount>(count: Count): Count {
  return { ...count, used: Math.max(0, count.used - 1) };
}

/**
 * What the evaluation of a record adds to its owner's `query` pool, once and on that day (interface.md section 8). What
 * cohorts do not count as others earns nothing, but for a suspected split by `eval/2`, which promised no less.
 */
export function creditOf(origin: SubmissionOrigin, exception: CohortException | null, method: string): number {
  const earns = exception === null || (exception === 'suspected_split' && method === 'eval/2');
  return origin === 'realtime' && earns ? QUOTA.queryCredit : 0;
}

/** What an owner has used and may still use today (interface.md section 8). */
export interface QuotaUsage {
  readonly query: PoolState;
  readonly read: PoolState;
  /** Each decision has a pool of its own. */
  readonly check: { readonly limit_per_decision: number };
}

export interface QuotaReader {
  /** The owner's pools on the UTC day of the database's clock, under these limits. It spends nothing. */
  usage(owner_id: string, limits: PoolLimits): Promise<QuotaUsage>;
}

/** Pools that were not used today have no count. */
export function quotaUsage(
  counts: { readonly query?: PoolCount | undefined; readonly read?: PoolCount | undefined },
  limits: PoolLimits,
  at: Millis,
): QuotaUsage {
  const stateOf = (pool: 'query' | 'read') => poolState(baseOf(pool, limits), counts[pool] ?? UNTOUCHED, at);
  return { query: stateOf('query'), read: stateOf('read'), check: { limit_per_decision: limits.checkPerDecision } };
}

/** What accounts cause to be kept for ever outside of submissions: what does not expire and is not bounded by its number. */
export type KeptKind = 'publication' | 'acceptance' | 'account_change' | 'note' | 'plan' | 'backtest_row';

/** Rows, and bytes of what callers send in them. */
export interface KeptAmount {
  readonly rows: number;
  readonly bytes: number;
}

/** Something that a transaction keeps for ever. */
interface Keeping extends KeptAmount {
  readonly kind: KeptKind;
  /** Whom it counts against, in the order in which they are judged. */
  readonly subjects: readonly KeptSubject[];
}

export interface KeptSubject {
  /** 32 bytes. */
  readonly hash: Uint8Array;
  /** What the subject may keep of the kind in a UTC day. */
  readonly most: KeptAmount;
}

/** The limit of the first subject that the keeping passes, and what that subject has kept of the kind today. */
export interface KeptRefusal {
  readonly subject: KeptSubject;
  readonly used: KeptAmount;
  readonly at: Date;
}

/** Counts what is kept for ever by UTC days of the database's clock. */
export interface KeptStore {
  /**
   * Counts it against every subject, or against none and returns the refusal: concurrent calls together never pass a limit,
   * on any number of processes. In a transaction that throws nothing is counted. A clock that is set back opens no day
   * that has been forgotten. The last call of its transaction, so that
   * no two transactions wait for each other. `AdmissionDesk.prune` removes old days.
   */
  keep(keeping: Keeping): Promise<KeptRefusal | null>;
}

/** What an owner may keep of a kind in a UTC day. Texts of kinds without bytes have a greatest length (docs/limits.md). */
export function mostOfOwner(kind: KeptKind, limits: Limits): KeptAmount {
  switch (kind) {
    case 'publication':
      return { rows: limits.publicationsPerDay, bytes: limits.publishedBytesPerDay };
    case 'acceptance':
      return { rows: limits.acceptancesPerDay, bytes: 0 };
    case 'account_change':
      return { rows: limits.accountChangesPerDay, bytes: 0 };
    case 'note':
      return { rows: limits.notesPerDay, bytes: 0 };
    case 'plan':
      return { rows: PLAN.perDay, bytes: PLAN.perDay * PLAN.bodyBytes };
    case 'backtest_row':
      return { rows: limits.backtestRowsPerDay, bytes: limits.backtestRowsPerDay * BACKTEST.rowBytes };
  }
}

/** The same of the network that its requests come from; no more than a day can be counted to, however the limits are set. */
export function mostOfNetwork(kind: KeptKind, limits: Limits): KeptAmount {
  const { rows, bytes } = mostOfOwner(kind, limits);
  const owners = limits.keptOwnersPerNetwork;
  return { rows: Math.min(rows * owners, COUNTABLE.rows), bytes: Math.min(bytes * owners, COUNTABLE.bytes) };
}

/** The largest count of `kept_days`, and the largest number of bytes that is exact everywhere. */
const COUNTABLE: KeptAmount = { rows: 2 ** 31 - 1, bytes: Number.MAX_SAFE_INTEGER };

/** The count after the amount is kept; null where that passes the limit. */
export function keptAfter(used: KeptAmount, more: KeptAmount, most: KeptAmount): KeptAmount | null {
  const after = { rows: used.rows + more.rows, bytes: used.bytes + more.bytes };
  return after.rows <= most.rows && after.bytes <= most.bytes ? after : null;
}
