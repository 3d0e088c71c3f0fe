import type { Direction } from '../../domain/decisions/call.ts';
import { bucketOf, moveRange } from '../../domain/grading/bucket.ts';
import type { Eval3Facts } from '../../domain/grading/method-facts.ts';
import type { OutcomeFacts } from '../../domain/grading/outcome.ts';
import type { RecallRow, RecallWords } from '../../domain/recall/recall.ts';
import { anOutcome } from './outcomes.ts';

/** A row of MSFT that is open on 28 November 2026. */
export function aRow(changes: Partial<RecallRow> = {}): RecallRow {
  const received_at = changes.anchor_time ?? new Date('2026-11-20T14:30:00Z');
  return {
    id: 'dec_20261120_00000001',
    ...{ market: 'stock', symbol: 'MSFT', venue: 'NASDAQ', asset_class: 'spot', quote_currency: 'USD' },
    ...{ direction: 'bullish', horizon_kind: 'trading_days', horizon_value: 5, submission_origin: 'realtime' },
    ...{ group_id: null, group_place: null, confidence: null, received_at, anchor_time: received_at },
    end_time: new Date('2026-12-18T21:00:00Z'),
    ...{ isQuarantined: false, known_at: null, result_bucket: null, move: null, ungraded: null },
    ...changes,
  };
}

/** The same with an outcome by the move of its price in sigmas. */
export function aKnownRow(direction: Direction, move_z: number, changes: Partial<RecallRow> = {}): RecallRow {
  const end_time = changes.end_time ?? new Date('2026-11-27T18:00:00Z');
  return aRow({
    ...{ direction, end_time, known_at: new Date(end_time.getTime() + 1_800_000) },
    ...{ result_bucket: bucketOf(direction, move_z), move: moveRange(move_z) },
    ...changes,
  });
}

/** Words with an outcome of these figures. */
export function wordsWith(said: string | null, figures: Partial<Figures> = {}): RecallWords {
  const { mfe = 0.01, mae = -0.01, ...others } = figures;
  const { facts } = anOutcome();
  const at = facts.mae.time;
  return {
    said,
    facts: {
      ...(facts as Eval3Facts),
      method: 'eval/3',
      market: null,
      ...others,
      mfe: mfe === null ? null : { time: at, value: mfe },
      mae: { time: at, value: mae },
    } as OutcomeFacts,
  };
}

interface Figures extends Pick<Eval3Facts, 'raw_return' | 'z' | 'market'> {
  readonly mfe: number | null;
  readonly mae: number;
}
