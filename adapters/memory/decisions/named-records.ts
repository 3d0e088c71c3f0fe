import { randomUUID } from 'node:crypto';
import { receivedReading } from '../../../domain/decisions/decision.ts';
import {
  type ConcernedKeys,
  type Counted,
  type CountedUnder,
  cohortKeyWith,
  type NamedRecords,
  type ReadRecord,
  triedAgain,
} from '../../../domain/decisions/later-reading.ts';
import { instrumentKey } from '../../../domain/market/instrument.ts';
import { isMapping, statementOfLine } from '../../../domain/market/name-statement.ts';
import type { BarCacheTables } from '../instruments/bar-cache.ts';
import type { DecisionRow, DecisionTables } from './decision-tables.ts';

type NamedTables = DecisionTables & BarCacheTables;

/** Transactions run one after the other, so that nothing is held. */
export function memoryNamedRecords(tables: NamedTables, now: () => Date): NamedRecords {
  const { decisions } = tables;
  return {
    holdGrades: async () => undefined,
    holdSubmissions: async () => undefined,
    async read({ market, symbols }, since, take) {
      const isConcerned = (row: DecisionRow) =>
        row.market === market && symbols.includes(row.symbol) && (since === null || row.submission_time >= since);
      take(decisions.where(isConcerned).map(recordOf));
    },
    async count(changes) {
      const rows = changes.flatMap((each) => {
        const row = decisions.get(each.record_id);
        return row && isOther(row, each) ? [countedAs(tables, row, each, now())] : [];
      });
      const said = rows.filter((row): row is DecisionRow => !('fault' in row));
      for (const row of said) decisions.set(row.record_id, row);
      return { changed: said.length, refused: rows.filter((row) => 'fault' in row) };
    },
    forgetBars: async (keys) => forgetBars(tables, keys),
  };
}

function recordOf(row: DecisionRow): ReadRecord {
  const { facts, evaluated_at } = row;
  const { source, names } = facts ?? { source: '' };
  const graded = evaluated_at && { at: evaluated_at, source, ...(names && { names }) };
  return { ...row, wrong_security: row.wrong_security ?? false, erased: row.salt === null, graded };
}

function isOther(row: DecisionRow, { symbol, wrong_security }: CountedUnder): boolean {
  return row.symbol !== symbol || (row.facts !== null && wrong_security !== (row.wrong_security ?? false));
}

function countedAs(
  tables: NamedTables,
  row: DecisionRow,
  { symbol, wrong_security }: CountedUnder,
  now: Date,
): DecisionRow | Counted['refused'][number] {
  const received = receivedReading(row);
  const statements = tables.names.where(() => true).map(({ id, line }) => statementOfLine(id, line));
  const said = statements.some(
    (each) => isMapping(each) && each.market === row.market && [each.key, each.name].includes(symbol),
  );
  const { record_id } = row;
  if (!said)
    return { record_id, fault: new Error(`UPDATE on decisions is refused: no name says that it is ${symbol}`) };
  const since = new Date(Math.max(...statements.map(({ learned_at }) => learned_at.getTime())));
  const isMoved = symbol !== received.symbol;
  const isAnother = symbol !== row.symbol;
  return {
    ...row,
    ...(isAnother ? retried(row, now) : {}),
    symbol,
    cohort_key: isMoved ? cohortKeyWith(received.cohort_key, symbol) : received.cohort_key,
    received_symbol: isMoved ? received.symbol : null,
    received_cohort_key: isMoved ? received.cohort_key : null,
    counted_since: isMoved ? (isAnother ? since : (row.counted_since ?? since)) : null,
    wrong_security: row.facts !== null && wrong_security,
  };
}

/** The lease of an evaluation by another security ends. */
function retried(row: DecisionRow, now: Date): Partial<DecisionRow> {
  const progress = triedAgain(row, now);
  return { ...progress, eval_token: progress.lifecycle_state === 'evaluating' ? randomUUID() : row.eval_token };
}

function forgetBars({ barSeries }: NamedTables, { market, symbols }: ConcernedKeys): void {
  barSeries.deleteWhere(({ instrument }) =>
    symbols.some((symbol) => instrumentKey(instrument).startsWith(`${market}:${symbol}:`)),
  );
}
