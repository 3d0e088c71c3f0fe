import type { WaitingRecord } from '../../domain/decisions/moderation/verification.ts';
import { canGrade } from '../../domain/grading/bars/price-gap.ts';
import { methodNamed } from '../../domain/grading/method.ts';
import { endTime } from '../../domain/grading/windows/window.ts';
import { type Instrument, identityOf } from '../../domain/market/instrument.ts';
import { isOpenEnded } from '../../domain/market/market-data.ts';
import type { Ports } from '../ports.ts';

/** The fields of a record that its window follows from. */
export type WindowRecord = Omit<WaitingRecord, 'record_id'>;

/**
 * Whether the bar files can grade a record of the instrument although no source verifies it: a retroactive one, whose
 * window lies wholly inside the ranges of the files as their manifest states them. Null if there are no such files.
 */
export async function barFileWindows(
  { barFiles }: Pick<Ports, 'barFiles'>,
  instrument: Instrument,
  now: Date,
): Promise<((record: WindowRecord) => boolean) | null> {
  const sources = (await barFiles.coverage(instrument, now.getTime())).filter((source) => !isOpenEnded(source));
  if (sources.length === 0) return null;
  return (record) => {
    const method = methodNamed(record.method);
    if (record.submission_origin !== 'retroactive' || !method) return false;
    return sources.some((source) => canGrade(windowOf(record), source, method));
  };
}

function windowOf(record: WindowRecord) {
  const { horizon_kind, horizon_value } = record;
  const instrument = identityOf(record);
  const anchor_time = record.anchor_time.getTime();
  const end_time = endTime({ instrument, horizon_kind, horizon_value }, anchor_time);
  return { instrument, horizon_kind, horizon_value, anchor_time, end_time };
}
