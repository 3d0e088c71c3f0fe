import type { ClaimedDecision, EvaluationEnd } from '../../domain/decisions/evaluation-store.ts';
import { type Instrument, instrumentKey } from '../../domain/market/instrument.ts';
import { SourceUnavailable } from '../../domain/market/market-data.ts';
import type { Ports } from '../ports.ts';
import { barFileWindows } from './bar-file-windows.ts';
import { evaluateGroup } from './evaluate-group.ts';

/**
 * Ends the evaluations of records whose instrument no source verifies: what lies wholly inside the bar files is graded
 * from them, and its outcome names them as its source. Never throws `SourceUnavailable`.
 * @param others ends the evaluations of all other records of the group
 */
export async function gradeFromFiles(
  ports: Pick<Ports, 'barFiles' | 'circuits' | 'report'>,
  instrument: Instrument,
  group: readonly ClaimedDecision[],
  now: Date,
  others: (rest: readonly ClaimedDecision[]) => readonly EvaluationEnd[],
): Promise<readonly EvaluationEnd[]> {
  const isCovered = await barFileWindows(ports, instrument, now);
  const covered = isCovered === null ? [] : group.filter(({ decision }) => isCovered(decision));
  const graded = covered.length === 0 ? null : await ends(ports, instrument, covered, now);
  if (graded === null) return others(group);
  return [...graded, ...others(group.filter((each) => !covered.includes(each)))];
}

/** null if the files cannot be read after all. */
async function ends(
  { barFiles, circuits, report }: Pick<Ports, 'barFiles' | 'circuits' | 'report'>,
  instrument: Instrument,
  covered: readonly ClaimedDecision[],
  now: Date,
): Promise<readonly EvaluationEnd[] | null> {
  try {
    const listing = await barFiles.describe(instrument);
    return listing && (await evaluateGroup({ marketData: barFiles, circuits, report }, listing, covered, now));
  } catch (error) {
    if (!(error instanceof SourceUnavailable)) report(error, { instrument: instrumentKey(instrument) });
    return null;
  }
}
