import { dailySpan } from '../../domain/grading/bars/bars-needed.ts';
import { type Regime, regimeAt } from '../../domain/grading/paths/regime.ts';
import { calendarOf } from '../../domain/market/calendars/by-venue.ts';
import type { Instrument } from '../../domain/market/instrument.ts';
import { clipToSessions } from '../../domain/market/sound-bars.ts';
import type { Ports } from '../ports.ts';

/**
 * The market around an instrument at a time, by the daily closes that ended at or before it (evaluation.md section 7):
 * the value that a record stores as `created_regime`, for now. null with too short a history.
 * @throws SourceUnavailable
 */
export async function currentRegime(
  { marketData }: Pick<Ports, 'marketData'>,
  instrument: Instrument,
  now: Date,
): Promise<Regime | null> {
  const calendar = calendarOf(instrument);
  const at = now.getTime();
  const { from, to } = dailySpan(calendar, at);
  const { bars } = await marketData.bars(instrument, '1d', from, to, at);
  return regimeAt(calendar, clipToSessions(calendar, bars), at);
}
