import type { ClaimedDecision, EvaluationEnd } from '../../domain/decisions/evaluation-store.ts';
import { type Instrument, instrumentKey } from '../../domain/market/instrument.ts';
import { SourceUnavailable } from '../../domain/market/market-data.ts';
import type { Ports } from '../ports.ts';
import { barFileWindows } from './bar-file-windows.ts';
import { evaluateGroup } from './evaluate-group.ts';

type FilePorts = Pick<Ports, 'barFiles' | 'circuits' | 'report'>;

/**
 * Ends the evaluations of records whose instrument no source verifies: what lies wholly inside the bar files is graded
 * from them, and its outcome names them as its source. A fault of ours is reported.
 * @param others ends the evaluations of all other records of the group
 */
export async function gradeFromFiles(
  ports: FilePorts,
  instrument: Instrument,
  group: readonly ClaimedDecision[],
  now: Date,
  others: (rest: readonly ClaimedDecision[]) => readonly EvaluationEnd[],
): Promise<readonly EvaluationEnd[]> {
  const graded = await gradedOf(ports, instrument, group, now);
  if (graded === null) return others(group);
  return [...graded.ends, ...others(group.filter((each) => !graded.covered.includes(each)))];
}

interface GradedByFiles {
  readonly covered: readonly ClaimedDecision[];
  readonly ends: readonly EvaluationEnd[];
}

/** null if the files have none of the windows, or cannot be read after all. */
async function gradedOf(
  ports: FilePorts,
  instrument: Instrument,
  group: readonly ClaimedDecision[],
  now: Date,
): Promise<GradedByFiles | null> {
  const { barFiles: marketData, circuits, report } = ports;
  try {
    const isCovered = await barFileWindows(ports, instrument, now);
    const covered = isCovered === null ? [] : group.filter(({ decision }) => isCovered(decision));
    const listing = covered.length === 0 ? null : await marketData.describe(instrument);
    if (listing === null) return null;
    return {
      covered,
      ends: await evaluateGroup({ marketData, circuits, report }, { listing, leftList: false }, covered, now),
    };
  } catch (error) {
    if (!(error instanceof SourceUnavailable)) report(error, { instrument: instrumentKey(instrument) });
    return null;
  }
}
