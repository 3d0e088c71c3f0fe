import { canonicalJson } from '../../adapters/formats/canonical-json.ts';
import type { BacktestAbout, BacktestCall, BacktestRow, GradedRow } from '../../domain/backtests/backtest.ts';
import { knowledgeOf } from '../../domain/decisions/submission/submission.ts';
import { METHOD_OF_NEW_RECORDS } from '../../domain/grading/method.ts';
import type { OutcomeFacts } from '../../domain/grading/outcome.ts';
import { HOUR, MINUTE } from '../../domain/time.ts';
import { aSubmission } from './decisions.ts';

export const ABOUT: BacktestAbout = { source: 'a test', horizon_rule: 'an hour, for all' };

/** A call of long ago for an hour of bitcoin. */
export function aPastCall(at: Date, changes: Partial<BacktestCall> = {}): BacktestCall {
  return aSubmission(at, changes);
}

/** A row as the service stores it. */
export function aRow(
  external_id: string,
  at: Date,
  changes: Partial<BacktestCall & Partial<BacktestRow>> = {},
): BacktestRow {
  const { settles_at, method, ...members } = changes;
  const call = aPastCall(at, members);
  return {
    ...{ market: 'crypto', symbol: call.symbol, venue: 'COINBASE', asset_class: 'spot', quote_currency: 'USD' },
    external_id,
    body: canonicalJson(call),
    direction: call.direction,
    horizon_kind: call.horizon_kind,
    horizon_value: call.horizon_value,
    confidence: call.confidence ?? null,
    knowledge: knowledgeOf(call),
    anchor_time: at,
    end_time: new Date(at.getTime() + HOUR),
    settles_at: settles_at ?? new Date(at.getTime() + HOUR + 3 * MINUTE),
    method: method ?? METHOD_OF_NEW_RECORDS.name,
  };
}

/** An outcome that was known at a time. */
export function aGrade(
  known_at: Date,
  facts: Partial<OutcomeFacts> = {},
  result_bucket = 'weak_correct' as const,
): GradedRow {
  const all = { method: 'eval/3', z: 0.4, raw_return: 0.01, suspected_split: false, suspected_price: false, ...facts };
  const owner_facts = { levels: null, reference_price: null, knowledge_overlap: null };
  const outcome = { result_bucket, created_regime: null, facts: all as unknown as OutcomeFacts, owner_facts };
  return { kind: 'evaluated', outcome, known_at };
}
