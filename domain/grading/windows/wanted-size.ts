import type { HorizonKind } from '../../decisions/call.ts';
import type { BarSize } from '../../market/bars.ts';
import { SECOND } from '../../time.ts';
import { GRADING } from '../method-numbers.ts';

/** The bar size that a horizon is evaluated on where the source has it (evaluation.md section 2). */
export function wantedSize(kind: HorizonKind, value: number): BarSize {
  if (kind === 'trading_days') return GRADING.tradingDaySizes.find(({ upTo }) => value <= upTo)?.size ?? '1d';
  return GRADING.holdingSizes.find(({ upTo }) => value * SECOND <= upTo)?.size ?? '1d';
}
