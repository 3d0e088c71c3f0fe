import { randomUUID } from 'node:crypto';
import {
  type DecisionDraft,
  type DecisionIntake,
  expiredCounts,
  type Preview,
  type Verdict,
} from '../../../domain/decisions/submission/decision-intake.ts';
import type { Receipt, TakenReceipts } from '../../../domain/decisions/submission/receipt.ts';
import { IDEMPOTENCY, submitBytesPerHour, VERIFICATION } from '../../../domain/limits.ts';
import { instrumentKey } from '../../../domain/market/instrument.ts';
import { Problem } from '../../../domain/problem.ts';
import { limitRefusals } from '../../../domain/quotas/submit-limits.ts';
import { type Millis, utcDate } from '../../../domain/time.ts';
import { SUBMIT_BATCH } from '../functions/called-functions.ts';
import { batcher } from '../kit/batcher.ts';
import { deleteExpired, interval } from '../kit/expired-rows.ts';
import type { NoteTime, Sql } from '../kit/sql.ts';

/** Hexadecimal; the first of a UUID are random. */
const SUFFIX_DIGITS = 8;

/** Long enough for a batch of another process to commit, short enough that strangers do not notice the wait. */
const PATIENCE_TOGETHER = 25;
/** With the subtransaction around them 64, the most that PostgreSQL tracks cheaply. */
const TOGETHER = 63;
/** Record ids that are taken already, in a row: not chance any more. */
const COLLISIONS = 8;

/** Submissions that arrive together share one statement and one commit; see adapters/postgres/functions/submit.sql. */
export function postgresIntake(sql: Sql, noteTime: NoteTime): DecisionIntake {
  const write = (patience: number) => (sent: readonly Sent[]) => writeAll(sql, noteTime, sent, patience);
  // One at once: two batches would wait for each other wherever they share an agent, and smaller ones cost more.
  const together = batcher<Sent, Written>({
    run: write(PATIENCE_TOGETHER),
    most: TOGETHER,
    sizeOf: ({ others }) => 1 + others.length,
    atOnce: 1,
  });
  // Those who wait for a twin hold a connection each while they do, so only a few may.
  const alone = batcher<Sent, Written>({ run: write(IDEMPOTENCY.lockWait), most: 1, atOnce: 3 });
  return {
    async submit(draft, others = []) {
      const sent = { draft, others };
      for (let tries = 0; tries < COLLISIONS; tries++) {
        const first = await together(sent);
        const written = first.verdict === 'busy' ? await alone(sent) : first;
        if (written.verdict === 'busy') {
          throw new Problem(
            'SERVICE_UNAVAILABLE',
            'Another submission that this one waits for is still being written.',
          );
        }
        if (written.verdict === 'failed') throw Object.assign(new Error('The write failed'), { code: written.code });
        if (written.verdict !== 'collision') return written;
      }
      throw new Error('No free record id was found');
    },
    preview: (draft, others = []) => preview(sql, { draft, others }),
    recorded: (agent_id, key) => recorded(sql, agent_id, key),
    prune: (now) => prune(sql, now),
  };
}

/** A decision, with the further horizons where it leads a decision group. */
interface Sent {
  readonly draft: DecisionDraft;
  readonly others: readonly DecisionDraft[];
}

type Written =
  | Verdict
  | { readonly verdict: 'busy' }
  | { readonly verdict: 'collision' }
  /** `code` is the SQLSTATE. */
  | { readonly verdict: 'failed'; readonly code: string };

interface VerdictRow {
  readonly ordinal: number;
  readonly verdict: Written['verdict'];
  readonly detail: never;
  readonly received_at: Date;
}

async function writeAll(sql: Sql, noteTime: NoteTime, sent: readonly Sent[], patience: number): Promise<Written[]> {
  const values = batchValues(sent.map(sentRow), patience);
  const rows = await sql.rows<VerdictRow>(`select * from ${SUBMIT_BATCH.call}`, values, 'submit');
  const verdicts = new Map(rows.map((row) => [row.ordinal, row]));
  return sent.map((_, ordinal) => {
    const row = verdicts.get(ordinal);
    if (!row) throw new Error('The write left a submission without a verdict');
    if (row.received_at) noteTime(row.received_at);
    return verdictOf(row);
  });
}

/** The values of `SUBMIT_BATCH`. */
export function batchValues(rows: readonly SubmissionRow[], patience: Millis): readonly unknown[] {
  return SUBMIT_BATCH.values({
    batch: JSON.stringify(rows),
    patience_ms: patience,
    idempotency_kept: interval(IDEMPOTENCY.keep),
    verified_for: interval(VERIFICATION.cache),
  });
}

function verdictOf({ verdict, detail, received_at }: VerdictRow): Written {
  switch (verdict) {
    case 'accepted':
    case 'replayed':
      return { verdict, ...receiptsOf(detail) };
    case 'replan':
      return { verdict, received_at };
    case 'related_refused':
      return { verdict, refused: detail };
    case 'failed':
      return { verdict, code: detail };
    case 'frequency':
    case 'hour_bytes':
    case 'network_hours':
    case 'retroactive_quota':
    case 'cooldown':
      return Object.assign({ verdict }, detail);
    default:
      return { verdict };
  }
}

/** A decision group has several. */
function receiptsOf(detail: Receipt | readonly [Receipt, ...Receipt[]]): TakenReceipts {
  if (!('length' in detail)) return { receipt: detail };
  const [receipt, ...others] = detail;
  return { receipt, others };
}

async function preview(sql: Sql, { draft, others }: Sent): Promise<Preview> {
  const values = [JSON.stringify(submissionRow(draft, 0)), interval(VERIFICATION.cache)];
  const [row] = await sql.rows<PreviewRow>(PREVIEW, values, 'preview');
  if (!row) throw new Error('The preview has no row');
  const { received_at, cooldown } = row;
  const counts = {
    cooldown: cooldown && { ...cooldown, last_at: new Date(cooldown.last_at) },
    hour: row.counted_hour,
    submitsThisHour: row.submits_this_hour,
    bytesThisHour: row.bytes_this_hour,
    retroactiveToday: row.retroactive_today,
    agentHoursToday: row.agent_hours_today,
  };
  const { plan, limits, network } = draft;
  const bytes = [draft, ...others].reduce((sum, { body }) => sum + Buffer.byteLength(body), 0);
  const limited = {
    ...{ retroactive: plan.origin === 'retroactive', bytes, decisions: 1 + others.length },
    ...{ fromNetwork: network !== null, limits },
  };
  return {
    received_at,
    verified: row.instrument_verified ?? false,
    history_from: row.history_from,
    circuit_state: row.circuit_state ?? 'normal',
    workflow_found: row.workflow_found ?? false,
    refused: row.related_faults ?? [],
    would_wait: limitRefusals(counts, limited, received_at),
  };
}

interface PreviewRow {
  readonly received_at: Date;
  readonly instrument_verified: boolean | null;
  readonly history_from: Date | null;
  readonly circuit_state: Preview['circuit_state'] | null;
  readonly workflow_found: boolean | null;
  readonly related_faults: Preview['refused'] | null;
  /** Of the newest record of the same agent, market, symbol and direction. */
  readonly cooldown: { readonly last_at: string; readonly record_id: string } | null;
  readonly counted_hour: Date;
  readonly submits_this_hour: number;
  readonly bytes_this_hour: number;
  readonly agent_hours_today: number;
  readonly retroactive_today: number;
}

const PREVIEW = `
  with sent as (select m, app.now() as at from jsonb_populate_record(null::app.submission, $1::jsonb) m)
  select sent.at as received_at, context.*,
    case when c.record_id is not null then json_build_object('last_at', c.last_at, 'record_id', c.record_id) end as cooldown,
    app.hour_of(counts => s, asked => date_trunc('hour', sent.at, 'UTC')) as counted_hour, h.used as submits_this_hour, h.bytes::float8 as bytes_this_hour,
    coalesce(r.used, 0) as retroactive_today, coalesce(k.kept, 0) as agent_hours_today
  from sent
  cross join lateral app.context_of(m => sent.m, received => sent.at, verified_for => $2::interval) context
  left join app.cooldowns c on c.agent_id = (m).agent_id and c.market = (m).market and c.symbol = (m).symbol
    and c.direction = (m).direction
  left join app.agent_submissions s on s.agent_id = (m).agent_id
  cross join lateral app.counted_hour(counts => s, asked => date_trunc('hour', sent.at, 'UTC')) h
  left join app.retroactive_days r on r.owner_id = (m).owner_id and r.day = (sent.at at time zone 'UTC')::date
  left join app.kept_days k on k.subject = decode((m).network, 'hex') and k.kind = 'agent_hour'
    and k.day = (app.limits_now() at time zone 'UTC')::date`;

async function recorded(sql: Sql, agent_id: string, key: string) {
  const [row] = await sql.rows<{ fingerprint: string; receipts: Parameters<typeof receiptsOf>[0] }>(
    `select encode(i.fingerprint, 'hex') as fingerprint,
         case when d.receipt ? 'group' then app.receipts_of_group(id => d.receipt -> 'group' ->> 'id') else d.receipt end
           as receipts
       from app.idempotency i join app.decision_documents d using (record_id)
       where i.agent_id = $1 and i.key = $2 and i.created_at > app.now() - $3::interval`,
    [agent_id, key, interval(IDEMPOTENCY.keep)],
  );
  return row ? { fingerprint: row.fingerprint, ...receiptsOf(row.receipts) } : null;
}

/** See `DecisionIntake.prune`. */
async function prune(sql: Sql, now: Date): Promise<number> {
  const { idempotency, cooldowns, submitHours, retroactiveDays } = expiredCounts(now);
  const expired = [
    { table: 'idempotency', condition: 'created_at <= $3', values: [idempotency] },
    { table: 'cooldowns', condition: 'last_at <= $3', values: [cooldowns] },
    { table: 'submit_hours', condition: 'hour <= $3', values: [submitHours] },
    { table: 'retroactive_days', condition: 'day <= $3', values: [utcDate(retroactiveDays)] },
  ];
  let deleted = 0;
  for (const each of expired) deleted += await deleteExpired(sql, each);
  return deleted;
}

/** The attributes of the database type `app.submission`. */
type SubmissionRow = Readonly<Record<string, unknown>>;

/** A group is the row of its first decision, valid while the plans of all are; the others have what differs. */
function sentRow({ draft, others }: Sent, ordinal: number): SubmissionRow {
  const row = submissionRow(draft, ordinal);
  if (others.length === 0) return row;
  const until = Math.min(draft.plan.until, ...others.map(({ plan }) => plan.until));
  return { ...row, valid_until: instant(until), others: others.map((other) => submissionRow(other, ordinal)) };
}

/** A draft as the database type `app.submission`, with a new suffix for its record id. */
export function submissionRow(draft: DecisionDraft, ordinal: number): SubmissionRow {
  const { plan, planned_at, settles_after, limits, idempotency, instrument, group } = draft;
  const floats = 'after' in plan.end;
  return {
    ordinal,
    owner_id: draft.owner_id,
    agent_id: draft.agent_id,
    key_prefix: draft.key_prefix,
    suffix: randomUUID().slice(0, SUFFIX_DIGITS),
    instrument: instrumentKey(instrument),
    ...instrument,
    submitted_symbol: draft.submitted_symbol,
    name: draft.name,
    names: draft.names,
    direction: draft.direction,
    horizon_kind: draft.horizon_kind,
    horizon_value: draft.horizon_value,
    analysis_class: draft.analysis_class,
    perspective_type: draft.perspective_type,
    confidence: draft.confidence,
    data_cutoff: draft.data_cutoff,
    submission_origin: plan.origin,
    method: draft.method,
    valid_from: planned_at,
    valid_until: instant(plan.until),
    anchor_at: plan.anchor === null ? null : instant(plan.anchor),
    end_at: 'at' in plan.end ? instant(plan.end.at) : null,
    end_after_ms: 'after' in plan.end ? plan.end.after : null,
    settles_at: floats ? null : instant(planned_at.getTime() + settles_after),
    settles_after_ms: floats ? settles_after : null,
    history_needed_from: draft.history_needed_from,
    coin: draft.coin,
    refuse_tripped: draft.refuse_tripped,
    cohort_key: draft.cohort_key,
    isolated_cohort_key: draft.isolated_cohort_key,
    workflow_hash: draft.workflow_hash,
    related: draft.related,
    warnings: draft.warnings,
    idempotency_key: idempotency?.key ?? null,
    fingerprint: idempotency?.fingerprint ?? null,
    submits_per_hour: limits.submitsPerHour,
    cooldown_seconds: limits.cooldownSeconds,
    retroactive_per_day: limits.retroactivePerDay,
    submit_bytes_per_hour: submitBytesPerHour(limits),
    network: draft.network === null ? null : Buffer.from(draft.network).toString('hex'),
    agent_hours_per_network: limits.agentHoursPerNetwork,
    body: draft.body,
    ...(group && { group_id: group.id, group_place: group.place, group_of: group.of }),
    salt: Buffer.from(draft.salt).toString('hex'),
  };
}

function instant(at: Millis): string {
  return Number.isFinite(at) ? new Date(at).toISOString() : 'infinity';
}
