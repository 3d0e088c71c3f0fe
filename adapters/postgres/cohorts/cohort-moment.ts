import { COHORT } from '../../../domain/limits.ts';
import { interval } from '../kit/interval.ts';
import type { Parameters } from './cohort-conditions.ts';

/** The time and the snapshot of a statement, as text. */
export interface Moment {
  readonly at: Date;
  /** `xmin:xmax:xip,...` of PostgreSQL. */
  readonly snapshot: string;
  /** Transactions that the snapshot leaves out and that had ended all the same. */
  readonly ended: readonly string[];
}

/**
 * The time is in whole milliseconds.
 * @param market the market of the records that the moment is for
 */
export function momentSql(market: string, parameters: Parameters): string {
  return `(extract(epoch from app.now()) * 1000)::bigint || ' ' ||
    case when pg_is_in_recovery() then (${onStandby(parameters.add(market), parameters.add(interval(COHORT.lateListing)))}) else pg_current_snapshot()::text end`;
}

/**
 * A standby knows the bounds of its snapshot, but not which transactions between them had ended. Only those that made a
 * record public matter, and their records show which. If they are too many for a cursor, the statement fails, and the
 * primary answers.
 */
function onStandby(market: string, lateListing: string): string {
  return `
    select s.oldest || ':' || s.oldest || ':' || case
      when count(xid) <= ${MOST_ENDED} then coalesce(' ' || string_agg(xid::text, ','), '')
      else ('too many: ' || count(xid))::int::text end
    from (select pg_snapshot_xmin(pg_current_snapshot())) s(oldest) left join lateral (
      select distinct d.listed_xid from app.public_decisions d
      where d.market = ${market} and d.listed_xid >= s.oldest
        and d.evaluated_at > app.now() - ${lateListing}::interval) l(xid) on true
    group by s.oldest`;
}

const MOST_ENDED = 100;

/** @throws TypeError when no summary can have returned this text */
export function momentOf(text: string): Moment {
  const [, time = '', snapshot = '', xmin = '', xmax = '', running = '', others = ''] = FORM.exec(text) ?? [];
  const [open, ended] = [running, others].map((ids) => (ids === '' ? [] : ids.split(',')));
  const ids = [xmin, ...(open ?? []), xmax].map((id) => BigInt(id || '0'));
  const ascending = ids.every((id, i) => id > 0n && id <= LAST && id >= (ids[i - 1] ?? 1n));
  if (time === '' || !ascending || !ended?.every(isId)) throw new TypeError('This text is not a moment of a summary.');
  return { at: new Date(Number(time)), snapshot, ended };
}

const FORM = /^(\d{1,15}) ((\d{1,19}):(\d{1,19}):([\d,]*))(?: ([\d,]+))?$/;
const LAST = 2n ** 63n - 1n;

function isId(text: string): boolean {
  return text !== '' && BigInt(text) > 0n && BigInt(text) <= LAST;
}
