import type { BarredKey, KeyBar } from '../../../domain/accounts/keys/api-key.ts';
import type { Caller, PermissionMode, Role, Tier } from '../../../domain/caller.ts';
import {
  type AdmissionRequest,
  type KnownAdmission,
  type Proof,
  type RateLimits,
  type RateState,
  rateState,
  type Spend,
} from '../../../domain/quotas/admission.ts';
import { MINUTE, type Millis, windowStart } from '../../../domain/time.ts';
import type { AdmissionBatch } from './admission-batch.ts';

/** What `app.admit_batch` returns of a caller and a pool: the windows and the pool after all requests of the batch. */
export interface JudgedRow {
  /** null where `spend` is the place of the caller. */
  readonly caller: Buffer | null;
  readonly owner_id: string | null;
  readonly agent_id: string | null;
  readonly key_prefix: string;
  readonly permission_mode: PermissionMode;
  readonly role: Role;
  readonly tier: Tier;
  /** Like every time here in milliseconds, which cost less to read than a timestamp. */
  readonly second_start: Millis;
  readonly second_used: number;
  readonly minute_used: number;
  /** Of the requests of the batch, those that were counted; negative: the bounds of the key refused all of them. */
  readonly admitted: number;
  /** The requests of the same owner that are counted before those of this caller. */
  readonly before: number;
  /** The place of the pool among those that the batch spends from; null or missing for requests without one. */
  readonly spend?: number | null;
  readonly day: string;
  readonly used: number;
  readonly credit: number;
  /** Of the units that requests of the batch wanted, those that they got. */
  readonly taken: number;
  /** The clock at the end. */
  readonly at: Millis;
  /** Only where it was requested. */
  readonly position?: string;
}

/** What app.count_keys returns as `admitted` of requests that it did not count. */
const BARS: ReadonlyMap<number, KeyBar> = new Map([
  [-1, 'expired'],
  [-2, 'network'],
]);

/** What the database says of a request. Nothing was counted of one that is barred. */
export type Judgement = KnownAdmission | { readonly verdict: 'barred'; readonly barred: BarredKey };

/**
 * Hands the counts of the batch out to its requests, in their order: the judgements by place. A caller that is unknown has
 * none.
 */
export function judgementsOf(
  batch: AdmissionBatch,
  rows: readonly JudgedRow[],
): readonly (readonly [place: number, Judgement])[] {
  const units = countUnits();
  return judgedRequests(batch, rows)
    .sort((a, b) => a.place - b.place)
    .map((request) => [request.place, judged(request, units)]);
}

interface JudgedRequest {
  readonly place: number;
  /** The requests of the caller before this one. */
  readonly number: number;
  readonly row: JudgedRow;
  readonly proof: Proof | null;
  readonly limits: RateLimits;
  readonly spend: Spend | null;
}

function judgedRequests({ keys, others, limits }: AdmissionBatch, rows: readonly JudgedRow[]): JudgedRequest[] {
  const byCaller = new Map(rows.map((row) => [row.spend ?? row.caller?.toString('latin1'), row]));
  const requests: JudgedRequest[] = [];
  let spends = 0;
  for (const { caller, request, shares } of [...keys, ...others]) {
    const name = shares.some(({ spend }) => spend) ? spends + 1 : caller.toString('latin1');
    for (const { spend, first, places } of shares) {
      if (spend) spends += 1;
      const row = byCaller.get(spend ? spends : name);
      const context = { proof: request.proof, limits: limitsOf(request, limits), spend };
      for (const [index, place] of row ? places.entries() : []) {
        if (row) requests.push({ place, number: first + index, row, ...context });
      }
    }
  }
  return requests;
}

/** An address has no limit by the second. */
function limitsOf({ proof, addressPerMinute }: AdmissionRequest, ofCallers: RateLimits): RateLimits {
  return proof ? ofCallers : { per_second: null, per_minute: addressPerMinute };
}

function judged({ number, row, proof, limits, spend }: JudgedRequest, units: UnitCounter): Judgement {
  const { owner_id, key_prefix } = row;
  const bar = BARS.get(row.admitted);
  if (bar && owner_id !== null) return { verdict: 'barred', barred: { bar, owner_id, key_prefix } };
  const counted = row.before + number < row.admitted;
  const rate = rateAfter(row, row.before + number, limits);
  const counts = { caller: callerOf(row, proof), rate, at: new Date(row.at) };
  if (!counted) return { verdict: 'rate', ...counts, quota: null };
  if (!spend) return { verdict: 'admitted', ...counts, quota: null, spent: null };
  const { day, credit, used, taken } = row;
  if (spend.units === 0 || owner_id === null) {
    return { verdict: 'admitted', ...counts, quota: { day, used, credit }, spent: null };
  }
  const unit = units(owner_id, spend);
  if (unit >= taken) return { verdict: 'quota', ...counts, quota: { day, used, credit } };
  const { pool, record_id } = spend;
  const quota = { day, used: used - taken + unit + 1, credit };
  return { verdict: 'admitted', ...counts, quota, spent: { owner_id, day, pool, record_id } };
}

/** After that request; for a refused one after all that were counted. */
function rateAfter(
  { second_start, second_used, minute_used, admitted }: JudgedRow,
  number: number,
  limits: RateLimits,
): RateState {
  const later = Math.max(0, admitted - number - 1);
  const second = new Date(second_start);
  const windows = { second_start: second, second_used: second_used - later, minute_used: minute_used - later };
  return rateState({ ...windows, minute_start: windowStart(second, MINUTE) }, limits);
}

/** How many requests of the batch before this one were for units of the pool, whichever key they presented. */
type UnitCounter = (owner_id: string, spend: Spend) => number;

function countUnits(): UnitCounter {
  const counts = new Map<string, number>();
  return (owner_id, { pool, record_id }) => {
    const name = `${owner_id} ${pool} ${record_id}`;
    const before = counts.get(name) ?? 0;
    counts.set(name, before + 1);
    return before;
  };
}

function callerOf(row: JudgedRow, proof: Proof | null): Caller | null {
  const { owner_id, agent_id, key_prefix, permission_mode, role, tier } = row;
  if (owner_id === null || proof === null) return null;
  return proof.credential === 'api_key'
    ? { credential: proof.credential, owner_id, agent_id, key_prefix, permission_mode, tier }
    : { credential: proof.credential, owner_id, role, tier };
}
