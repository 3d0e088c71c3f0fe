import type { HorizonKind } from '../../decisions/call.ts';
import { HORIZON_BOUNDS } from '../../limits.ts';
import type { ProblemDetail } from '../../problem.ts';

export interface Horizon {
  readonly horizon_kind: HorizonKind;
  /** Seconds, or full sessions. */
  readonly horizon_value: number;
}

/** What is wrong with a horizon, whatever the instrument (evaluation.md section 2: admission bounds). */
export function horizonFault({ horizon_kind, horizon_value }: Horizon): ProblemDetail | undefined {
  const { min, max } = HORIZON_BOUNDS[horizon_kind];
  if (Number.isInteger(horizon_value) && horizon_value >= min && horizon_value <= max) return undefined;
  const unit = horizon_kind === 'trading_days' ? 'sessions' : 'seconds';
  return {
    path: 'horizon_value',
    message: `For ${horizon_kind} send a whole number of ${unit} from ${min} to ${max}.`,
    received: horizon_value,
  };
}

/** The bounds of both kinds, as the description of a field states them. */
export const HORIZON_RANGES = `Seconds (${range(HORIZON_BOUNDS.holding_seconds)}) or full sessions (${range(HORIZON_BOUNDS.trading_days)}).`;

function range({ min, max }: { readonly min: number; readonly max: number }): string {
  return `${min.toLocaleString('en-US')} to ${max.toLocaleString('en-US')}`;
}
