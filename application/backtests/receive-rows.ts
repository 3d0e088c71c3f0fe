import {
  type BacktestAbout,
  type BacktestCall,
  type BacktestRow,
  holdingsProblem,
  type SentRow,
  type SetName,
} from '../../domain/backtests/backtest.ts';
import { type AdmittedSubmission, admitSubmission } from '../../domain/decisions/submission/admit-submission.ts';
import { knowledgeOf } from '../../domain/decisions/submission/submission.ts';
import { METHOD_OF_NEW_RECORDS } from '../../domain/grading/method.ts';
import { settlesAt } from '../../domain/grading/windows/settling.ts';
import { planPastWindow, windowAt } from '../../domain/grading/windows/window.ts';
import { BACKTEST } from '../../domain/limits.ts';
import { Problem, type ProblemDetail } from '../../domain/problem.ts';
import { listingsOf } from '../decisions/submit-decision.ts';
import { newestNames } from '../market/names.ts';
import { giveWay } from '../pause.ts';
import type { Ports } from '../ports.ts';
import { keep } from '../quotas/keep.ts';

export interface SentBatch extends SetName {
  readonly about: BacktestAbout;
  /** May judge the shape of each row when it is taken. */
  readonly rows: Iterable<SentRow>;
  /** As addresses are counted. */
  readonly network: string;
}

/** A row that is not in the set, and why. */
export interface RefusedRow {
  /** Its place in the request, from 0. */
  readonly row: number;
  readonly external_id: string | null;
  readonly details: readonly ProblemDetail[];
}

/** What became of the rows of a request; never an outcome. */
export interface BatchReply {
  readonly accepted: number;
  readonly repeated: number;
  readonly refused: readonly RefusedRow[];
}

/**
 * Adds rows to a set of back-tests (loop.md section 6): each for itself, so that faulty rows delay no other. What passes a
 * limit is refused as a whole, and nothing is stored.
 * @throws Problem VALIDATION_ERROR (422) for another `about`, DAILY_QUOTA_EXCEEDED, TIER_LIMIT_REACHED, NOT_FOUND,
 * AGENT_ARCHIVED, UNAUTHORIZED, ACCOUNT_SUSPENDED
 */
export async function receiveRows(ports: Ports, { network, ...batch }: SentBatch): Promise<BatchReply> {
  await newestNames(ports.names);
  const now = await ports.clock.now();
  const judged = await judgedRows(ports, batch.rows, now);
  const first = new Map<string, BacktestRow>();
  for (const { row } of judged) if (row && !first.has(row.external_id)) first.set(row.external_id, row);
  const rows = [...first.values()];
  const { accepted, other } = await ports.transaction(async ({ backtests, kept }) => {
    const received = await backtests.receive({ ...batch, rows }, now);
    if (received.kind === 'other_about') throw otherAbout(batch.name, received.about);
    const problem = holdingsProblem(received.holdings, ports.settings.limits);
    if (problem && received.accepted.size > 0) throw problem;
    const bytes = rows.reduce(
      (sum, row) => sum + (received.accepted.has(row.external_id) ? byteLength(row.body) : 0),
      0,
    );
    const counted = { rows: received.accepted.size, bytes };
    const { owner_id } = batch;
    if (counted.rows > 0) await keep({ kept }, ports.settings, { owner_id, network }, 'backtest_row', counted);
    return received;
  });
  if (accepted.size > 0) ports.wake('grade-backtests');
  return replyOf(
    judged,
    (row) => !other.has(row.external_id) && first.get(row.external_id)?.body === row.body,
    accepted.size,
  );
}

interface JudgedRow {
  readonly external_id: string | null;
  /** null of one with faults. */
  readonly row: BacktestRow | null;
  readonly faults: readonly ProblemDetail[];
}

async function judgedRows(ports: Ports, rows: Iterable<SentRow>, now: Date): Promise<readonly JudgedRow[]> {
  const judged: JudgedRow[] = [];
  for (const sent of rows) {
    judged.push(judgedRow(ports, sent, now));
    if (judged.length % BACKTEST.slice === 0) await giveWay();
  }
  return judged;
}

function judgedRow(ports: Ports, sent: SentRow, now: Date): JudgedRow {
  const { external_id, faults } = sent;
  if (faults) return { external_id, row: null, faults };
  const { call } = sent;
  const body = ports.canonicalJson(call);
  const bytes = byteLength(body);
  if (bytes > BACKTEST.rowBytes) return { external_id, row: null, faults: [tooLarge(bytes)] };
  const admitted = admitSubmission(call, listingsOf(ports), now, [], planPastWindow);
  if ('faults' in admitted) return { external_id, row: null, faults: admitted.faults };
  return { external_id, row: rowOf(sent.external_id, call, body, admitted), faults: [] };
}

function rowOf(external_id: string, call: BacktestCall, body: string, admitted: AdmittedSubmission): BacktestRow {
  const { instrument, plan, planned_at } = admitted;
  const { anchor_time, end_time } = windowAt(plan, planned_at.getTime());
  const { direction, horizon_kind, horizon_value, confidence = null } = call;
  const settles_at = settlesAt(instrument, { end_time, bar_size: plan.bar_size, cadence: 'continuous' });
  return {
    ...instrument,
    ...{ external_id, body, direction, horizon_kind, horizon_value, confidence, knowledge: knowledgeOf(call) },
    anchor_time: new Date(anchor_time),
    end_time: new Date(end_time),
    settles_at: new Date(settles_at),
    method: METHOD_OF_NEW_RECORDS.name,
  };
}

function replyOf(judged: readonly JudgedRow[], isStored: (row: BacktestRow) => boolean, accepted: number): BatchReply {
  const refused = judged.flatMap(({ external_id, row, faults }, index): RefusedRow[] => {
    if (row && isStored(row)) return [];
    return [
      { row: index, external_id, details: row ? [otherBody(row.external_id)] : faults.slice(0, BACKTEST.details) },
    ];
  });
  return { accepted, repeated: judged.length - refused.length - accepted, refused };
}

function otherBody(received: string): ProblemDetail {
  const message = 'The set has this id with other members: send the same row, or another id.';
  return { path: 'external_id', message, received };
}

function tooLarge(bytes: number): ProblemDetail {
  return {
    path: '',
    message: `The row has ${bytes} bytes of JSON: send at most ${BACKTEST.rowBytes}, such as a shorter summary.`,
  };
}

function otherAbout(name: string, about: BacktestAbout): Problem {
  const members = ['source', 'horizon_rule'] as const;
  return new Problem('VALIDATION_ERROR', `The set ${name} has rows with another \`about\`.`, {
    status: 422,
    details: members.map((member) => ({
      path: `about.${member}`,
      message: 'must be as in the first request',
      stored: about[member],
    })),
    suggestion: 'Send the same `about`, or the rows to a set with another name.',
  });
}

function byteLength(text: string): number {
  return Buffer.byteLength(text);
}
