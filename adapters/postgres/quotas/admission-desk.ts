import { WINDOWS } from '../../../domain/limits.ts';
import type { Admission, AdmissionDesk, AdmissionRequest } from '../../../domain/quotas/admission.ts';
import type { Millis } from '../../../domain/time.ts';
import { GIVE_BACK } from '../functions/called-functions.ts';
import { batcher } from '../kit/batcher.ts';
import type { DatabaseClock } from '../kit/clock.ts';
import { deleteExpired, type Expired } from '../kit/expired-rows.ts';
import { interval } from '../kit/interval.ts';
import { LOCK_NOT_AVAILABLE, type Sql, sqlState } from '../kit/sql.ts';
import { batchesOf } from './admission-batch.ts';
import { type AdmissionStatement, statementOf } from './admission-statement.ts';
import { judgeAgain } from './held-credentials.ts';
import { type JudgedRow, type Judgement, judgementsOf } from './judged-batch.ts';
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

/**
 * Requests that arrive together are one statement, `app.admit_batch` (adapters/postgres/functions/admit.sql), and one
 * commit. A batch that would wait long for one of its members is split, and each request is judged alone. A request whose
 * credential is of no caller, or barred, is judged once more, by its address.
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
    return (await judgeAll(sql, requests, patience, notePosition)).map((judgement) => ({ judgement, sentAt }));
  };
  const together = batcher<AdmissionRequest, Answer>({ run: judge(PATIENCE_TOGETHER), most, atOnce });
  // Each request that waits holds a connection, so only a few may wait.
  const alone = batcher<AdmissionRequest, Answer>({ run: judge(PATIENCE_ALONE), most: 1, atOnce: 3 });
  const admit = async (request: AdmissionRequest): Promise<Admission> => {
    const denied = denials.find(request);
    if (denied) return denied;
    const { judgement, sentAt } = await together(request).catch((error: unknown) => {
      if (sqlState(error) !== LOCK_NOT_AVAILABLE) throw error;
      return alone(request);
    });
    if (judgement === null) {
      const isBearer = request.proof?.credential === 'owner_bearer';
      return isBearer ? { verdict: 'stranger' } : admit({ ...request, proof: null });
    }
    if (judgement.verdict === 'barred') {
      const counted = await admit({ ...request, proof: null });
      return counted.verdict === 'stranger' ? counted : { ...counted, barred: judgement.barred };
    }
    noteTime(judgement.at);
    denials.note(request, judgement, sentAt);
    return judgement;
  };
  return {
    admit,

    judgeAgain: (held) => judgeAgain(sql, held),

    async giveBack({ owner_id, day, pool, record_id }) {
      const unit = { of_owner: owner_id, of_day: day, of_pool: pool, of_record: record_id ?? '' };
      const [row] = await sql.rows<GivenBack>(RETURN_UNIT, GIVE_BACK.values(unit), 'give back');
      if (!row) throw new Error('app.give_back returned no row.');
      noteTime(row.at);
      return row;
    },

    async prune() {
      let deleted = await deleteExpired(sql, OLD_WINDOWS);
      for (const days of OLD_DAYS) deleted += await deleteExpired(sql, days);
      await sql.rows(MOVE_FLOOR, [interval(WINDOWS.keep)]);
      return deleted;
    },
  };
}

interface Answer {
  /** null: the credential is of no caller, and nothing was counted. */
  readonly judgement: Judgement | null;
  /** When the request was sent to the database, by the monotonic clock. */
  readonly sentAt: Millis;
}

async function judgeAll(
  sql: Sql,
  requests: readonly AdmissionRequest[],
  patience: Millis,
  notePosition: AdmissionOptions['notePosition'],
): Promise<readonly (Judgement | null)[]> {
  const judgements = new Map<number, Judgement>();
  for (const batch of batchesOf(requests)) {
    const rows = await ask(sql, statementOf(batch, patience, notePosition !== undefined));
    if (rows[0]?.position) notePosition?.(rows[0].position);
    for (const [place, judgement] of judgementsOf(batch, rows)) judgements.set(place, judgement);
  }
  return requests.map((_, place) => judgements.get(place) ?? null);
}

/** A row that is forgotten while two ask for it can make them wait for each other: the database ends one, which asks again. */
async function ask(sql: Sql, { text, values, name }: AdmissionStatement): Promise<JudgedRow[]> {
  try {
    return await sql.rows<JudgedRow>(text, values, name);
  } catch (error) {
    if (sqlState(error) !== '40P01') throw error;
    return sql.rows<JudgedRow>(text, values, name);
  }
}

interface GivenBack {
  readonly at: Date;
  readonly day: string;
  readonly used: number;
  readonly credit: number;
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
};

const BEFORE_FLOOR = {
  condition: "day < ((select at from app.limits_floor) at time zone 'UTC' - $3::interval)::date",
  values: [interval(WINDOWS.keepDays)],
};
const OLD_DAYS: readonly Expired[] = [
  { table: 'quota_days', ...BEFORE_FLOOR },
  { table: 'kept_days', ...BEFORE_FLOOR },
];

const MOVE_FLOOR = `
  update app.limits_floor set at = greatest(at, date_trunc('minute', app.now() - $1::interval, 'UTC'))`;
