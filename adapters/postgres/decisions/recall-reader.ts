import type { Note } from '../../../domain/decisions/own/notes.ts';
import type { OutcomeFacts } from '../../../domain/grading/outcome.ts';
import { type RecallReader, type RecallRow, recallWords } from '../../../domain/recall/recall.ts';
import type { Sql } from '../kit/sql.ts';
import { COUNTS_BY_BUCKET, UNCOUNTED_REASON } from './agent-lists.ts';
import { submissionIn } from './submission-text.ts';

/** SQL by hand: a bounded stretch of one index, and rows by their keys. */
export function postgresRecall(sql: Sql): RecallReader {
  return {
    async newest(subject, as_of, sealedEnds, most) {
      const { owner_id, agent_id, market, symbol } = subject;
      const values = [owner_id, agent_id, market, symbol, as_of, most];
      const text = sealedEnds ? NEWEST_SEALED : NEWEST;
      const rows = await sql.rows<{ row: string }>(text, values, `recall ${sealedEnds}`);
      return rows.map(({ row }) => rowOf(row, subject));
    },

    async wordsOf(ids) {
      const rows = ids.length === 0 ? [] : await sql.rows<WordsRow>(WORDS, [ids], 'recall-words');
      return new Map(rows.map(({ id, statement, facts }) => [id, recallWords(readable(statement), facts)]));
    },

    async notedElsewhere({ owner_id, agent_id, market, symbol }, as_of, most) {
      const values = [owner_id, agent_id, market, symbol, as_of, most];
      const rows = await sql.rows<NotedText>(NOTED, values, 'recall-noted');
      return rows.map(({ row, number, text, written_at, ...security }) => ({
        row: rowOf(row, security),
        note: { number, text, written_at },
      }));
    },
  };
}

interface NotedText extends Note, Pick<RecallRow, 'market' | 'symbol'> {
  readonly row: string;
}

interface WordsRow {
  readonly id: string;
  readonly statement: string;
  readonly facts: OutcomeFacts | null;
}

/** null for a statement that is gone or damaged. */
function readable(statement: string): unknown {
  try {
    return submissionIn(statement);
  } catch {
    return null;
  }
}

const SEALED_END = `case when d.evaluated_at <= $5 and ${COUNTS_BY_BUCKET} then d.end_time else coalesce((
    select (doc.receipt ->> 'end_time')::timestamptz from app.decision_documents doc where doc.record_id = d.record_id),
    d.end_time) end`;

const millis = (time: string) => `(date_part('epoch', ${time}) * 1000)::bigint`;

/**
 * `RecallRow` of a row `d` of app.decisions as one text, which `rowOf` reads: 500 rows of so many columns would take most of
 * the time of a recall. No value contains the separator.
 */
const row = (end_time: string) => `
  concat_ws('|', d.record_id, d.venue, d.asset_class, d.quote_currency, d.direction, d.horizon_kind, d.horizon_value,
    d.submission_origin, coalesce(d.group_id, ''), coalesce(d.group_place::text, ''), ${millis('d.submission_time')},
    ${millis('d.anchor_time')}, ${millis(end_time)}, d.lifecycle_state = 'quarantined',
    case when ${COUNTS_BY_BUCKET}
      then concat_ws('|', ${millis('d.evaluated_at')}, d.result_bucket, coalesce(d.move::text, '')) else '||' end,
    coalesce(${UNCOUNTED_REASON}, ''), coalesce((select doc.confidence from app.decision_documents doc
      where doc.record_id = d.record_id and doc.confidence is not null)::text, '')) as row`;

function rowOf(text: string, { market, symbol }: Pick<RecallRow, 'market' | 'symbol'>): RecallRow {
  const [id = '', venue = '', asset_class, quote_currency = '', direction, horizon_kind, horizon_value, ...more] =
    text.split('|');
  const [submission_origin, group_id, group_place, received_at, anchor_time, end_time, quarantined, ...known] = more;
  const [known_at, result_bucket, move, ungraded, confidence] = known;
  return {
    ...{ id, market, symbol, venue, quote_currency },
    ...({ asset_class, direction, horizon_kind, submission_origin } as Words),
    horizon_value: Number(horizon_value),
    group_id: group_id || null,
    group_place: numberIn(group_place),
    confidence: numberIn(confidence),
    received_at: new Date(Number(received_at)),
    anchor_time: new Date(Number(anchor_time)),
    end_time: new Date(Number(end_time)),
    isQuarantined: quarantined === 't',
    known_at: known_at ? new Date(Number(known_at)) : null,
    result_bucket: (result_bucket || null) as RecallRow['result_bucket'],
    move: numberIn(move),
    ungraded: ungraded || null,
  };
}

type Words = Pick<RecallRow, 'asset_class' | 'direction' | 'horizon_kind' | 'submission_origin'>;

function numberIn(text: string | undefined): number | null {
  return text ? Number(text) : null;
}

const newest = (end_time: string) => `
  select ${row(end_time)} from app.decisions d
  where d.owner_id = $1 and d.agent_id = $2 and d.market = $3 and d.symbol = $4 and d.submission_time <= $5
  order by d.submission_time desc, d.record_id desc limit $6`;

const NEWEST = newest('d.end_time');

const NEWEST_SEALED = newest(SEALED_END);

const WORDS = `
  select w.id, coalesce(doc.statement, '') as statement, o.facts
  from unnest($1::text[]) w(id)
  join app.decisions d on d.record_id = w.id
  left join app.decision_documents doc on doc.record_id = w.id
  left join app.decision_outcomes o on o.record_id = w.id`;

/** At most so many notes are read, so that an agent that notes one security alone delays nobody. */
const NOTED = `
  select n.number, n.text, n.written_at, d.market, d.symbol, ${row('d.end_time')}
  from (
    select record_id, number, text, written_at from app.decision_notes
    where owner_id = $1 and agent_id = $2 and text is not null and written_at <= $5
    order by written_at desc, record_id desc, number desc limit $6
  ) n
  join app.decisions d on d.record_id = n.record_id
  where (d.market <> $3 or d.symbol <> $4) and ${COUNTS_BY_BUCKET}
  order by n.written_at desc, n.record_id desc, n.number desc`;
