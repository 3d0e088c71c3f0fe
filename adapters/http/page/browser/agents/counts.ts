import type { HadSaidCounts } from '../../../../../domain/grading/had-said.ts';
import type { ResultBucket } from '../../../../../domain/grading/outcome.ts';
import { RESULT_BUCKETS } from '../kit/domain.ts';
import type { WireDirection } from '../kit/wire.ts';

/** The number of decisions by bucket. */
export type Distribution = Readonly<Record<ResultBucket, number>>;

/** Decisions as they were decided, and as each direction would have come out in the same windows. */
export interface CountedAs {
  readonly result_distribution: Distribution;
  readonly had_said: HadSaidCounts | null;
}

/** One way to count the same decisions. */
export interface Counted {
  readonly name: string;
  readonly distribution: Distribution;
}

const IF_ALL: Readonly<Record<WireDirection, string>> = {
  bullish: 'all bullish',
  bearish: 'all bearish',
  neutral: 'all neutral',
};

/** As decided first, then what each direction would have got; without the latter where the service has not counted it. */
export function countedWays({ result_distribution, had_said }: CountedAs): readonly Counted[] {
  const others = had_said === null ? [] : (Object.keys(IF_ALL) as WireDirection[]);
  return [
    { name: 'as decided', distribution: result_distribution },
    ...others.map((direction) => ({
      name: IF_ALL[direction],
      distribution: had_said?.[direction] ?? result_distribution,
    })),
  ];
}

/** The greatest count, for a common scale; at least 1. */
export function mostOf(distributions: readonly Distribution[]): number {
  return Math.max(1, ...distributions.flatMap((each) => RESULT_BUCKETS.map((bucket) => each[bucket])));
}

/** `5 / 2 / 3 / 1`, in the order of the buckets. */
export function countsInWords(distribution: Distribution): string {
  return RESULT_BUCKETS.map((bucket) => distribution[bucket].toLocaleString('en-GB')).join(' / ');
}
