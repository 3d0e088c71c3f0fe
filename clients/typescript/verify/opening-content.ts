import type { Opening, PlanOpening } from '../../../domain/log/leaves/opening.ts';
import { isPlan } from '../../../domain/log/leaves/verify-opening.ts';
import type { PlanStatement } from '../../../domain/plans/plan.ts';
import { isOutcome } from './outcome-lines.ts';

/** What an opening says, so that the reader sees of what the proof is. Its values may be anything. */
export function openingContent(opening: Opening): string {
  if (isOutcome(opening)) {
    const { result_bucket, evaluated_at } = opening.public_outcome;
    return texts`${result_bucket}, graded at ${evaluated_at},`;
  }
  if (isPlan(opening)) return planContent(opening);
  const said = opening.public_statement;
  const horizon = texts`${said.horizon_value} ${said.horizon_kind}`;
  const received = texts`${said.submission_origin}, received at ${said.submission_time},`;
  return texts`${said.record_id}, ${said.direction} ${said.symbol} (${said.market}, ${said.venue}), ${horizon}, ${received}`;
}

function planContent({ statement }: PlanOpening): string {
  try {
    const { sentence, query, stated_at, asked_before } = JSON.parse(statement) as PlanStatement;
    const before = asked_before === false ? 'not asked before' : 'asked before';
    return texts`${JSON.stringify(sentence)} for ${query}, stated at ${stated_at}, ${before},`;
  } catch {
    // A statement of another form says what it says.
    return texts`${statement},`;
  }
}

function texts(parts: readonly string[], ...values: readonly unknown[]): string {
  const text = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));
  return parts.map((part, i) => (i < values.length ? `${part}${text(values[i])}` : part)).join('');
}
