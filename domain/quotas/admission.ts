import type { BarredKey } from '../accounts/keys/api-key.ts';
import type { Identity } from '../accounts/provider/identity-provider.ts';
import type { Caller } from '../caller.ts';
import { MINUTE, type Millis, SECOND, windowStart } from '../time.ts';
import type { Pool, PoolCount } from './pools.ts';

/** What a credential proves by itself, before the storage resolves it to a caller. */
export type Proof =
  | { readonly credential: 'api_key'; readonly key_hash: Uint8Array }
  | { readonly credential: 'legacy_session'; readonly session_hash: Uint8Array }
  | { readonly credential: 'owner_bearer'; readonly identity: Identity };

export interface AdmissionRequest {
  readonly proof: Proof | null;
  /** The caller's IP address (`plainAddress`), by which the networks of a key are judged; null for another text. */
  readonly from: string | null;
  /** The windows of a proven caller: those of the key, or of the owner for bearer and session. */
  readonly callerLimits: RateLimits;
  /** What is counted without a proven caller: a client's network, within a class of requests. */
  readonly address: string;
  readonly addressPerMinute: number;
  readonly spend: Spend | null;
}

/** The credential of a request that goes on, and where the request came from. */
export interface HeldCredential extends Pick<AdmissionRequest, 'from'> {
  readonly proof: Proof;
}

/** The pool that a request belongs to. */
export interface Spend {
  readonly pool: Pool;
  /** Only for the pool `check`: each decision has its own. */
  readonly record_id: string | null;
  /** The size of the pool without credit. */
  readonly base: number;
  /** 0 takes nothing, and only reads the pool. */
  readonly units: 0 | 1;
}

/** A unit that was taken, with its pool, owner and day. */
export interface Spent {
  readonly owner_id: string;
  readonly pool: Pool;
  readonly record_id: string | null;
  /** UTC date. */
  readonly day: string;
}

export type Admission =
  /** Counted and, where a unit was requested, spent. Without a proven caller the address was counted. */
  | (LimitCounts & { readonly verdict: 'admitted'; readonly spent: Spent | null })
  /** A window is full; nothing was counted, and the pool was not read. */
  | (LimitCounts & { readonly verdict: 'rate' })
  /** Counted in the windows; the pool is empty. */
  | (LimitCounts & { readonly verdict: 'quota' })
  /** An identity without an owner, or of a suspended one; nothing was counted. */
  | { readonly verdict: 'no_active_owner' };

/** The admission of a request that presents no credential, or one of a caller. */
export type KnownAdmission = Exclude<Admission, { readonly verdict: 'no_active_owner' }>;

interface LimitCounts {
  /** null: the proof has no owner (unknown, revoked, over, barred), or there is none. */
  readonly caller: Caller | null;
  /** The key of the request, where its bounds refused it: there is no caller, and the address was counted. */
  readonly barred?: BarredKey;
  readonly rate: RateState;
  /** The use of the requested pool, when there is a caller. */
  readonly quota: QuotaUse | null;
  /** The database's clock at the end of the judgement. */
  readonly at: Date;
}

/** The use of a pool on a UTC day. */
export interface QuotaUse extends PoolCount {
  /** UTC date. */
  readonly day: string;
}

/**
 * Admits every request: credential, rate windows and pool, judged together (interface.md section 8, settled.md section
 * 7).
 */
export interface AdmissionDesk {
  /**
   * Judges one request, exactly for any number of callers and processes: no window admits more than its limit, no pool
   * gives more units than `base + credit`, and no request is refused for another one that was not counted. Windows are
   * fixed calendar windows of the database's clock; setting it back reopens no earlier window and no forgotten day.
   *
   * A caller has the mode, role and tier of this moment, and is never cached: a credential that was revoked, destroyed
   * over (`isOver`) or expired (`keyBar`, both by the database's clock) before the call has no caller, nor has one of a
   * suspended owner. The use of a session is noted, at most
   * once a minute; this changes existing sessions and never makes one, whatever is in flight. A refusal by rate may be
   * cached until that window ends.
   */
  admit(request: AdmissionRequest): Promise<Admission>;

  /**
   * Whether each of these credentials would have a caller in a request of this moment, in their order. It counts nothing and
   * notes no use.
   */
  judgeAgain(held: readonly HeldCredential[]): Promise<readonly boolean[]>;

  /** Returns a unit to the day it was taken from; returns the use of that pool today. */
  giveBack(spent: Spent): Promise<QuotaUse & { readonly at: Date }>;

  /**
   * Deletes the windows of owners and addresses that are older than `WINDOWS.keep`, and the days that are older than
   * `WINDOWS.keepDays`, by the clock of the call before; none of them ever opens again. Returns how many. The windows of a
   * key stay as long as the key.
   */
  prune(): Promise<number>;
}

/** Requests of one subject that are admitted per fixed calendar window; null: that window is not limited. */
export interface RateLimits {
  readonly per_second: number | null;
  readonly per_minute: number;
}

/** The last second and the last minute in which a request of the subject was counted, in UTC. */
interface RateWindows {
  readonly second_start: Date;
  readonly second_used: number;
  readonly minute_start: Date;
  readonly minute_used: number;
}

/** What replies show to a client of its windows (settled.md section 7). */
export interface RateState {
  /** Per minute. */
  readonly limit: number;
  /** What the smaller of both windows still admits. */
  readonly remaining: number;
  /** The end of that window. */
  readonly reset: Date;
}

/**
 * Counts one request, in both windows or in none. A window never goes back: when the clock was set back, the last
 * window continues to count.
 */
export function countRequest(
  before: RateWindows | null,
  limits: RateLimits,
  now: Date,
): { readonly admitted: boolean; readonly windows: RateWindows; readonly state: RateState } {
  const windows = windowsAt(before, now);
  const admitted = left(windows, limits).every((remaining) => remaining > 0);
  if (!admitted) return { admitted, windows, state: rateState(windows, limits) };
  const { second_used, minute_used } = windows;
  const counted = { ...windows, second_used: second_used + 1, minute_used: minute_used + 1 };
  return { admitted, windows: counted, state: rateState(counted, limits) };
}

function windowsAt(before: RateWindows | null, now: Date): RateWindows {
  const [second, minute] = [windowStart(now, SECOND), windowStart(now, MINUTE)];
  const sameSecond = before !== null && before.second_start >= second;
  const sameMinute = before !== null && before.minute_start >= minute;
  return {
    second_start: sameSecond ? before.second_start : second,
    second_used: sameSecond ? before.second_used : 0,
    minute_start: sameMinute ? before.minute_start : minute,
    minute_used: sameMinute ? before.minute_used : 0,
  };
}

function left(windows: RateWindows, { per_second, per_minute }: RateLimits): [seconds: number, minutes: number] {
  return [per_second === null ? Infinity : per_second - windows.second_used, per_minute - windows.minute_used];
}

/** When both windows have the same number remaining, this is the minute: it still holds when the second is over. */
export function rateState(windows: RateWindows, limits: RateLimits): RateState {
  const [seconds, minutes] = left(windows, limits);
  const end = minutes <= seconds ? endOf(windows.minute_start, MINUTE) : endOf(windows.second_start, SECOND);
  return { limit: limits.per_minute, remaining: Math.max(0, Math.min(seconds, minutes)), reset: end };
}

function endOf(start: Date, length: Millis): Date {
  return new Date(start.getTime() + length);
}
