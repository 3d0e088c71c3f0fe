import type { Caller, PermissionMode, Role, Tier } from '../../../domain/caller.ts';
import { SESSION, WINDOWS } from '../../../domain/limits.ts';
import type { Admission, AdmissionDesk, AdmissionRequest, Proof, Spent } from '../../../domain/quotas/admission.ts';
import type { Millis } from '../../../domain/time.ts';
import { ADMIT, GIVE_BACK } from '../functions/called-functions.ts';
import { batcher } from '../kit/batcher.ts';
import type { DatabaseClock } from '../kit/clock.ts';
import { deleteExpired, type Expired } from '../kit/expired-rows.ts';
import { interval } from '../kit/interval.ts';
import { FLUSHED } from '../kit/log-position.ts';
import { type Sql, sqlState } from '../kit/sql.ts';
import { knownDenials } from './known-denials.ts';

export interface AdmissionOptions {
  /** Milliseconds of a clock of this machine that nobody sets. */
  readonly monotonic?: () => Millis;
  /** Requests of a batch, and batches in flight. */
  readonly most?: number;
  readonly atOnce?: number;
  /** Called with the position of the log after each statement, where replicas are read (log-position.ts). */
  readonly notePosition?: (text: string) => void;
}

/** Milliseconds that a batch waits for a lock: long enough for batches of other processes to commit on a busy disk. */
const PATIENCE_TOGETHER = 500;
/** Milliseconds for a single request, whose window or pool a stalled transaction holds: others must not wait with it. */
const PATIENCE_ALONE = 2_000;
const LOCK_NOT_AVAILABLE = '55P03';

/**
 * Requests that arrive together are one statement, `app.admit` (adapters/postgres/functions/admit.sql), and one commit.
 * A batch that would wait long for one of its members is split, and each request is judged alone.
 * `noteTime` is called with each time that the database returns.
 */
export function postgresAdmission(
  sql: Sql,
  { noteTime, newest }: Pick<DatabaseClock, 'noteTime' | 'newest'>,
  { monotonic = () => performance.now(), most = 64, atOnce = 1, notePosition }: AdmissionOptions = {},
): AdmissionDesk {
  const denials = knownDenials(monotonic, newest);
  const judge = (patience: Millis) => async (requests: readonly AdmissionRequest[]) => {
    const sentAt = monotonic();
    return (await admitAll(sql, requests, patience, notePosition)).map((admission) => ({ admission, sentAt }));
  };
  const together = batcher<AdmissionRequest, Answer>({ run: judge(PATIENCE_TOGETHER), most, atOnce });
  // Each request that waits holds a connection, so only a few may wait.
  const alone = batcher<AdmissionRequest, Answer>({ run: judge(PATIENCE_ALONE), most: 1, atOnce: 3 });
  return {
    async admit(request) {
      const denied = denials.find(request);
      if (denied) return denied;
      const { admission, sentAt } = await together(request).catch((error: unknown) => {
        if (sqlState(error) !== LOCK_NOT_AVAILABLE) throw error;
        return alone(request);
      });
      if (admission.verdict === 'stranger') return admission;
      noteTime(admission.at);
      denials.note(request, admission, sentAt);
      return admission;
    },

    async giveBack({ owner_id, day, pool, record_id }) {
      const unit = { of_owner: owner_id, of_day: day, of_pool: pool, of_record: record_id ?? '' };
      const [row] = await sql.rows<GivenBack>(RETURN_UNIT, GIVE_BACK.values(unit), 'give back');
      if (!row) throw new Error('app.give_back returned no row.');
      noteTime(row.at);
      return row;
    },

    async prune() {
      const [windows, days] = [await deleteExpired(sql, OLD_WINDOWS), await deleteExpired(sql, OLD_DAYS)];
      await sql.rows(MOVE_FLOOR, [interval(WINDOWS.keep)]);
      return windows + days;
    },
  };
}

interface Answer {
  readonly admission: Admission;
  /** When the request was sent to the database, by the monotonic clock. */
  readonly sentAt: Millis;
}

async function admitAll(
  sql: Sql,
  requests: readonly AdmissionRequest[],
  patience: Millis,
  notePosition: AdmissionOptions['notePosition'],
): Promise<Admission[]> {
  const answer = await ask(sql, valuesOf(requests, patience), notePosition ? JUDGE_WITH_POSITION : JUDGE);
  if (answer[0]?.position) notePosition?.(answer[0].position);
  const rows = new Map(answer.map((row) => [row.ordinal, row]));
  return requests.map(({ proof }, ordinal) => {
    const row = rows.get(ordinal);
    if (!row) throw new Error('app.admit returned no verdict for a request.');
    return admissionOf(row, proof);
  });
}

/** A row that is forgotten while two ask for it can make them wait for each other: the database ends one, which asks again. */
async function ask(sql: Sql, values: readonly unknown[], text: string): Promise<AdmissionRow[]> {
  try {
    return await sql.rows<AdmissionRow>(text, values, 'admit');
  } catch (error) {
    if (sqlState(error) !== '40P01') throw error;
    return sql.rows<AdmissionRow>(text, values, 'admit');
  }
}

function valuesOf(requests: readonly AdmissionRequest[], patience: Millis): readonly unknown[] {
  const column = (of: (request: AdmissionRequest) => unknown) => requests.map(of);
  return ADMIT.values({
    key_hashes: column(({ proof }) => (proof?.credential === 'api_key' ? proof.key_hash : null)),
    session_hashes: column(({ proof }) => (proof?.credential === 'legacy_session' ? proof.session_hash : null)),
    issuers: column(({ proof }) => (proof?.credential === 'owner_bearer' ? proof.identity.issuer : null)),
    subjects: column(({ proof }) => (proof?.credential === 'owner_bearer' ? proof.identity.subject : null)),
    addresses: column(({ address }) => address),
    address_minutes: column(({ addressPerMinute }) => addressPerMinute),
    caller_seconds: column(({ callerLimits }) => callerLimits.per_second),
    caller_minutes: column(({ callerLimits }) => callerLimits.per_minute),
    pools: column(({ spend }) => spend?.pool),
    records: column(({ spend }) => spend?.record_id),
    bases: column(({ spend }) => spend?.base),
    units: column(({ spend }) => spend?.units),
    session_idle: interval(SESSION.idle),
    session_absolute: interval(SESSION.absolute),
    session_noted: interval(SESSION.noteEvery),
    patience_ms: patience,
  });
}

interface AdmissionRow {
  readonly ordinal: number;
  readonly verdict: Admission['verdict'];
  /** Like every time here in milliseconds, which cost less to read than a timestamp. */
  readonly at: Millis;
  readonly owner_id: string | null;
  readonly agent_id: string | null;
  readonly key_prefix: string;
  readonly permission_mode: PermissionMode;
  readonly role: Role;
  readonly tier: Tier;
  readonly per_minute: number;
  readonly rate_remaining: number;
  readonly rate_reset: Millis;
  readonly pool: Spent['pool'] | null;
  readonly record_id: string;
  readonly units: number;
  readonly quota_day: string | null;
  readonly quota_used: number;
  readonly quota_credit: number;
  /** Only where `notePosition` is given. */
  readonly position?: string;
}

function admissionOf(row: AdmissionRow, proof: Proof | null): Admission {
  const { verdict } = row;
  if (verdict === 'stranger') return { verdict };
  const rate = { limit: row.per_minute, remaining: row.rate_remaining, reset: new Date(row.rate_reset) };
  const counts = { caller: callerOf(row, proof), rate, quota: quotaOf(row), at: new Date(row.at) };
  return verdict === 'admitted' ? { verdict, ...counts, spent: spentOf(row) } : { verdict, ...counts };
}

function callerOf(row: AdmissionRow, proof: Proof | null): Caller | null {
  const { owner_id, agent_id, key_prefix, permission_mode, role, tier } = row;
  if (owner_id === null || proof === null) return null;
  return proof.credential === 'api_key'
    ? { credential: proof.credential, owner_id, agent_id, key_prefix, permission_mode, tier }
    : { credential: proof.credential, owner_id, role, tier };
}

function quotaOf({ quota_day, quota_used, quota_credit }: AdmissionRow) {
  return quota_day === null ? null : { day: quota_day, used: quota_used, credit: quota_credit };
}

function spentOf({ units, owner_id, quota_day, pool, record_id }: AdmissionRow): Spent | null {
  if (units === 0 || owner_id === null || quota_day === null || pool === null) return null;
  return { owner_id, day: quota_day, pool, record_id: record_id === '' ? null : record_id };
}

interface GivenBack {
  readonly at: Date;
  readonly day: string;
  readonly used: number;
  readonly credit: number;
}

const JUDGE = admitting();
/** The position is looked up once, after the first row is made. */
const JUDGE_WITH_POSITION = admitting(`, (select ${FLUSHED}) as position`);

function admitting(further = ''): string {
  return `
  select ordinal, verdict, extract(epoch from told_at)::float8 * 1000 as at, owner_id, agent_id, key_prefix,
    permission_mode, role, tier, per_minute, rate_remaining, extract(epoch from rate_reset)::float8 * 1000 as rate_reset,
    pool, record_id, units, quota_day::text, quota_used, quota_credit${further}
  from ${ADMIT.call}`;
}

const RETURN_UNIT = `select told_at as at, day::text, used, credit from ${GIVE_BACK.call}`;

/**
 * What is deleted lies before the floor that is in force already, since the last time: a
 * request that was judged by an older clock has ended long ago.
 */
const OLD_WINDOWS: Expired = {
  table: 'rate_windows',
  condition: 'minute_start < (select at from app.limits_floor)',
  values: [],
  shared: true,
};

const OLD_DAYS: Expired = {
  table: 'quota_days',
  condition: "day < ((select at from app.limits_floor) at time zone 'UTC' - $3::interval)::date",
  values: [interval(WINDOWS.keepDays)],
  shared: true,
};

const MOVE_FLOOR = `
  update app.limits_floor set at = greatest(at, date_trunc('minute', app.now() - $1::interval, 'UTC'))`;
