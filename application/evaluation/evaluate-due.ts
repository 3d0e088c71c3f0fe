import type { ClaimedDecision, EvaluationEnd } from '../../domain/decisions/decision-store.ts';
import { EVALUATION } from '../../domain/limits.ts';
import { type Instrument, instrumentKey } from '../../domain/market/instrument.ts';
import { type Listing, SourceUnavailable } from '../../domain/market/market-data.ts';
import type { Ports } from '../ports.ts';
import { evaluateGroup } from './evaluate-group.ts';

export interface Sweep {
  /** Records whose evaluation ended here, one way or another. */
  readonly ended: number;
  /** Whether more may be due already. */
  readonly more: boolean;
  /** When the next record becomes due; null when none waits. */
  readonly next: Date | null;
}

/**
 * Grades what is due (evaluation.md): claims a batch under a lease, fetches each instrument's bars once, and ends every
 * record of the batch. A process that dies in between loses its lease and nothing else; one that comes back too late
 * finds its tokens void.
 */
export async function evaluateDue(ports: Ports): Promise<Sweep> {
  const { decisions, clock } = ports;
  const now = await clock.now();
  const leaseUntil = new Date(now.getTime() + EVALUATION.lease);
  const claimed = await decisions.claimDue(now, leaseUntil, EVALUATION.batch);
  let ended = 0;
  for (const group of byInstrument(claimed)) {
    const ends = await endsOf(ports, group, now);
    ended += (await decisions.endEvaluations(ends, await clock.now())).length;
  }
  const more = claimed.length === EVALUATION.batch;
  return { ended, more, next: more ? null : await decisions.nextDue() };
}

async function endsOf(ports: Ports, group: readonly ClaimedDecision[], now: Date): Promise<EvaluationEnd[]> {
  try {
    return await evaluateGroup(ports, await listingOf(ports, group), group, now);
  } catch (error) {
    if (!(error instanceof SourceUnavailable)) throw error;
    const until = new Date(now.getTime() + EVALUATION.sourceRetry);
    const result = { kind: 'postponed', until, reason: 'source_unavailable', detail: error.message } as const;
    return group.map(({ decision: { record_id }, token }) => ({ record_id, token, result, retry_at: null }));
  }
}

/** As the verification found it; asked for again where that is gone. */
async function listingOf({ instruments, marketData }: Ports, [first]: readonly ClaimedDecision[]): Promise<Listing> {
  if (!first) throw new RangeError('A group has a member');
  const [known] = await instruments.find([first.decision]);
  const listing = known?.listing ?? (await marketData.describe(first.decision));
  if (!listing) throw new SourceUnavailable('No source knows this instrument any more.');
  return listing;
}

function byInstrument(claimed: readonly ClaimedDecision[]): ClaimedDecision[][] {
  const key = ({ decision }: ClaimedDecision) => instrumentKey(decision satisfies Instrument);
  return [...Map.groupBy(claimed, key).values()];
}
