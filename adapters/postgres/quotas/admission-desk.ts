import { SESSION, WINDOWS } from '../../../domain/limits.ts';
import type {
  Admission,
  AdmissionDesk,
  AdmissionRequest,
  HeldCredential,
  KnownAdmission,
  Proof,
} from '../../../domain/quotas/admission.ts';
import type { Millis } from '../../../domain/time.ts';
import { GIVE_BACK } from '../functions/called-functions.ts';
import { batcher } from '../kit/batcher.ts';
import { deleteExpired, type Expired, interval } from '../kit/expired-rows.ts';
import { type DatabaseClock, LOCK_NOT_AVAILABLE, type Sql, sqlState } from '../kit/sql.ts';
import { type AdmissionStatement, batchesOf, statementOf } from './admission-batch.ts';
import { type JudgedRow, type Judgement, judgementsOf } from './judged-batch.ts';

/** More subjects than are refused at once in good faith; the oldest are forgotten, and asked about anew. */
const MOST = 10_000;

/**
 * SQL by hand: the rules of `app.count_keys` and `app.count_others` without their counts. A suspension revokes keys and
 * ends sessions, so that the owner is read for identities alone.
 */
const VALID = `
  select h.place::int as place
  from (select greatest(app.now(), (select f.at from app.limits_floor f)) as at, app.now() as moment) clock,
    unnest($1::bytea[], $2::text[], $3::bytea[], $4::text[], $5::text[]) with ordinality
      h(key_hash, address, session_hash, issuer, subject, place)
  where exists (select from app.api_keys k where k.key_hash = h.key_hash and k.revoked_at is null
      and (k.expires_at is null or k.expires_at > clock.at)
      and (k.allowed_networks is null or not app.is_outside(address => h.address, networks => k.allowed_networks)))
    or exists (select from app.sessions s where s.session_hash = h.session_hash
      and s.last_seen_at > clock.moment - $6::interval and s.created_at > clock.moment - $7::interval)
    or exists (select from app.identities i join app.owners o using (owner_id)
      where i.issuer = h.issuer and i.subject = h.subject and o.suspended_at is null)`;

export interface AdmissionOptions {
  /** Milliseconds of a clock of this machine that nobody sets. */
  readonly monotonic?: () => Millis;
  /** Requests of a batch, and batches in flight. */
  readonly most?: number;
  readonly atOnce?: number;
  /** Called with the position of the log after each statement, where replicas are read (kit/replica.ts). */
  readonly notePosition?: (text: string) => void;
}

/** Milliseconds that a batch waits for a lock: long enough for batches of other processes to commit on a busy disk. */
const PATIENCE_TOGETHER = 500;
/** Milliseconds for a single request, whose window or pool a stalled transaction holds: others must not wait with it. */
const PATIENCE_ALONE = 2_000;

/**
 * Requests that arrive together are one statement, `app.admit_batch` (adapters/postgres/functions/admission.sql), and one
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
      return isBearer ? { verdict: 'no_active_owner' } : admit({ ...request, proof: null });
    }
    if (judgement.verdict === 'barred') {
      const counted = await admit({ ...request, proof: null });
      return counted.verdict === 'no_active_owner' ? counted : { ...counted, barred: judgement.barred };
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

/** See `AdmissionDesk.judgeAgain`: one statement, which locks and writes nothing. */
async function judgeAgain(sql: Sql, held: readonly HeldCredential[]): Promise<readonly boolean[]> {
  if (held.length === 0) return [];
  const column = (of: (proof: Proof) => unknown) => held.map(({ proof }) => of(proof));
  const values = [
    column((proof) => (proof.credential === 'api_key' ? proof.key_hash : null)),
    held.map(({ from }) => from),
    column((proof) => (proof.credential === 'legacy_session' ? proof.session_hash : null)),
    column((proof) => (proof.credential === 'owner_bearer' ? proof.identity.issuer : null)),
    column((proof) => (proof.credential === 'owner_bearer' ? proof.identity.subject : null)),
    interval(SESSION.idle),
    interval(SESSION.absolute),
  ];
  const valid = new Set((await sql.rows<{ place: number }>(VALID, values, 'judge-again')).map(({ place }) => place));
  return held.map((_, index) => valid.has(index + 1));
}

type Denial = Extract<KnownAdmission, { readonly verdict: 'rate' }>;

/** Refusals by rate that this process has seen and that still hold. */
interface KnownDenials {
  /** What the database would answer again; null when it must be asked. */
  find(request: AdmissionRequest): Denial | null;
  /** @param sentAt when the request was sent to the database, by the monotonic clock */
  note(request: AdmissionRequest, answer: KnownAdmission, sentAt: Millis): void;
}

/**
 * A full window stays full until it ends, so its refusal may be repeated without asking the database: a caller that sends
 * too much costs it one statement per window and process. An admission is never remembered. Who the caller is is
 * remembered only for a full window, which admits no request anyway.
 *
 * The end of the window is judged by the newest time that the database has returned and by the time that has passed here
 * since the question, not the answer, was sent. That is never behind the database's clock, so no caller is refused too long.
 */
export function knownDenials(monotonic: () => Millis, newest: () => Date | null = () => null): KnownDenials {
  const denials = new Map<string, Denial>();
  /** The database's clock less ours: at most (by when the request was sent), at least (by when the answer came). */
  let ahead = { most: -Infinity, least: -Infinity };

  return {
    find(request) {
      const key = keyOf(request);
      const denial = denials.get(key);
      if (!denial) return null;
      const now = monotonic();
      const newestTime = newest()?.getTime() ?? -Infinity;
      if (Math.max(now + ahead.most, newestTime) < denial.rate.reset.getTime()) {
        return { ...denial, at: new Date(Math.max(now + ahead.least, newestTime)) };
      }
      denials.delete(key);
      return null;
    },

    note(request, answer, sentAt) {
      const answeredAt = answer.at.getTime();
      ahead = { most: answeredAt - sentAt, least: answeredAt - monotonic() };
      if (answer.verdict !== 'rate' || (request.proof !== null && answer.caller === null)) return;
      if (denials.size >= MOST) forgetFirst(denials);
      denials.set(keyOf(request), answer);
    },
  };
}

/** A proof without an owner is not remembered: it may have one the next moment. */
function keyOf({ proof, address }: AdmissionRequest): string {
  switch (proof?.credential) {
    case undefined:
      return address;
    case 'api_key':
      return `key ${Buffer.from(proof.key_hash).toString('base64')}`;
    case 'legacy_session':
      return `session ${Buffer.from(proof.session_hash).toString('base64')}`;
    case 'owner_bearer':
      return `identity ${JSON.stringify([proof.identity.issuer, proof.identity.subject])}`;
  }
}

function forgetFirst(denials: Map<string, unknown>): void {
  const [first] = denials.keys();
  if (first !== undefined) denials.delete(first);
}
