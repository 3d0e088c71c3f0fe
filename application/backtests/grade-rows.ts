import type { ClaimedRow, ClaimedRows, GradedRow, RowEnd } from '../../domain/backtests/backtest.ts';
import {
  type GradableDecision,
  type Postponed,
  RefusedEnds,
  type Ungraded,
} from '../../domain/decisions/evaluation-store.ts';
import { retryDelay, settlesAt } from '../../domain/grading/windows/settling.ts';
import { BACKTEST, EVALUATION, VERIFICATION } from '../../domain/limits.ts';
import { instrumentKey } from '../../domain/market/instrument.ts';
import type { MarketData } from '../../domain/market/market-data.ts';
import { DAY, later, type Millis, SECOND } from '../../domain/time.ts';
import { endsOf, type Grading, halves, knownInstruments } from '../grading/evaluate-due.ts';
import { FAULT, type GradeInput, methodOf } from '../grading/evaluate-group.ts';
import { evaluateFurther } from '../grading/further-evidence.ts';
import { currentNames } from '../market/names.ts';
import { giveWay } from '../pause.ts';
import type { Ports } from '../ports.ts';

export interface RowSweep {
  /** Rows whose evaluation ended here, with any result. */
  readonly ended: number;
  /** When more is due; null when nothing waits. */
  readonly next: Date | null;
}

/**
 * Grades due rows of back-tests, one claim after the other, each of one instrument, and deletes rows of removed sets.
 * Records come first: while any is due, one claim is graded, and the next one waits.
 */
export async function gradeRows(ports: Ports): Promise<RowSweep> {
  const { backtests, clock, evaluations } = ports;
  await currentNames(ports.names);
  const begun = (await clock.now()).getTime();
  const pruned = await backtests.prune(BACKTEST.pruned);
  for (let ended = 0; ; ) {
    const now = await clock.now();
    const claimed = await backtests.claim(now, new Date(now.getTime() + BACKTEST.lease), BACKTEST.batch);
    if (!claimed) return { ended, next: pruned < BACKTEST.pruned ? ahead(await backtests.nextDue(), now) : now };
    ended += await endAll(ports, claimed, await endsOfRows(holding(ports, claimed, now), claimed, now));
    const due = await evaluations.nextDue();
    if (due !== null && due <= now) return { ended, next: new Date(now.getTime() + BACKTEST.behind) };
    if (now.getTime() - begun >= BACKTEST.sweep) return { ended, next: now };
  }
}

/**
 * How many ended. Of rows of which the storage refuses one, each is tried again at a time of its own, so that it is found, and
 * holds up no other: a claim that cannot end would be the first one for ever.
 */
async function endAll({ backtests, clock, report }: Ports, claimed: ClaimedRows, ends: readonly RowEnd[]) {
  try {
    return await backtests.end(claimed, ends);
  } catch (error) {
    if (!(error instanceof RefusedEnds)) throw error;
    const [first] = claimed.rows;
    if (first) report(error, { instrument: instrumentKey(first.decision) });
    const from = (await clock.now()).getTime() + EVALUATION.faultRetry;
    const apart = ends.map((end, index): RowEnd => {
      const until = new Date(from + index * SECOND);
      return { ...end, result: { kind: 'postponed', reason: 'fault', detail: FAULT, until }, retry_at: null };
    });
    return backtests.end(claimed, apart);
  }
}

/**
 * The ports of which the source renews the claim whenever it is asked: windows of many years can take it longer than a lease,
 * and two processes that took the rows from each other would never end.
 */
function holding(ports: Ports, claimed: ClaimedRows, claimed_at: Date): Ports {
  const { backtests, clock, marketData, barFiles } = ports;
  let renewed = claimed_at.getTime();
  const bars: MarketData['bars'] = async (...asked) => {
    const now = (await clock.now()).getTime();
    if (now - renewed >= BACKTEST.lease / 4) {
      await backtests.renew(claimed, new Date(now + BACKTEST.lease));
      renewed = now;
    }
    return marketData.bars(...asked);
  };
  const held = { ...marketData, bars };
  // Where bar files are the only source they stay the same one.
  return { ...ports, marketData: held, barFiles: barFiles === marketData ? held : barFiles };
}

/** What is due and cannot be claimed is another process's; the schedule looks for it. */
function ahead(next: Date | null, now: Date): Date | null {
  return next !== null && next > now ? next : null;
}

async function endsOfRows(ports: Ports, { rows }: ClaimedRows, now: Date): Promise<readonly RowEnd[]> {
  const known = await knownInstruments(ports, [rows]);
  const [spent, rejected] = [new Set<string>(), new Set<string>()];
  const grading: Grading<GradableDecision, GradedRow> = {
    async gradeCall(row, by) {
      await giveWay();
      return gradeRow(row, by, () => spent.add(row.record_id));
    },
    unknown({ decision: { record_id }, token }) {
      rejected.add(record_id);
      const result = { kind: 'deferred', reason: 'out_of_reach', detail: 'No source knows this instrument.' } as const;
      return { record_id, token, result, retry_at: null };
    },
  };
  const ends: RowEnd[] = [];
  const groups: (readonly ClaimedRow[])[] = rows.length === 0 ? [] : [rows];
  for (let group = groups.shift(); group; group = groups.shift()) {
    const found = await endsOf(ports, group, known, now, grading);
    if (found === 'apart') groups.unshift(...halves(group));
    else ends.push(...found);
  }
  const attempts = new Map(rows.map(({ decision }) => [decision.record_id, decision.attempts]));
  const isVerified = rows.some(({ decision }) => known.get(instrumentKey(decision))?.status === 'verified');
  const overdue = new Set(rows.filter((row) => isOverdue(row, now)).map(({ decision }) => decision.record_id));
  return ends.map((end): RowEnd => {
    const { record_id } = end;
    if (overdue.has(record_id) && isUnanswered(end.result))
      return { ...end, result: unanswered(end.result), rejected: !isVerified, retry_at: null };
    const isSpent = spent.has(record_id) || (attempts.get(record_id) ?? 0) + 1 >= BACKTEST.tries;
    return { ...end, rejected: rejected.has(record_id), retry_at: isSpent ? null : end.retry_at };
  });
}

/** As records wait for a source that cannot be reached (`verificationEndsAt`). */
function isOverdue({ decision: { end_time, received_at } }: ClaimedRow, now: Date): boolean {
  return now.getTime() - later(end_time, received_at).getTime() >= VERIFICATION.patience;
}

function isUnanswered(result: RowEnd['result']): result is Postponed {
  return result.kind === 'postponed' && result.reason === 'source_unavailable';
}

function unanswered({ detail }: Postponed): Ungraded {
  const waited = `No source answered within ${VERIFICATION.patience / DAY} days. The last attempt: ${detail}`;
  return { kind: 'deferred', reason: 'out_of_reach', detail: waited };
}

/**
 * Grades a row as a live decision would have been graded: when its prices had settled, by what was final then, and later
 * only as far as the method would have waited. So nothing that came after `known_at` is in its outcome.
 * @param giveUp where the method would have given up
 */
async function gradeRow(
  row: GradableDecision,
  { call, first, further, cadence, leftList = false, ends_from }: GradeInput,
  giveUp: () => void,
): Promise<GradedRow | Ungraded> {
  const method = methodOf(row.method);
  const barless = { ...call, keepsBars: false };
  const settled = settlesAt(call.instrument, { end_time: call.end_time, bar_size: first.path.size, cadence });
  let at = Math.max(settled, ends_from ?? settled);
  for (let attempt = 1; at <= first.now; attempt += 1) {
    const { result } = await evaluateFurther(method, barless, { ...first, now: at }, further);
    if (result.kind === 'evaluated') {
      const { bars: _, ...outcome } = result.outcome;
      const moved = call.end_time === row.end_time.getTime() ? {} : { end_time: new Date(call.end_time) };
      return { kind: 'evaluated', outcome, known_at: new Date(at), ...moved };
    }
    if (result.kind === 'data_unavailable') return result;
    const delay = retryDelay(attempt);
    if (delay === null) {
      giveUp();
      return method.givenUp(result, leftList);
    }
    at += delay;
  }
  return notYet(at);
}

/** Its prices have not settled until then, so that nobody waits for its grade either: that can be days. */
function notYet(at: Millis): Postponed {
  const detail = 'A live decision would wait for more prices, too.';
  return { kind: 'postponed', reason: 'not_settled', until: new Date(at), detail, settles_at: new Date(at) };
}
