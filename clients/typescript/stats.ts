export { type AskedQuestion, benjaminiHochberg, type JudgedQuestion } from './stats/benjamini-hochberg.ts';
export { type Caution, cautionsOf } from './stats/cautions.ts';
export { type CountedShare, readShare, type ShareOptions } from './stats/counted-share.ts';
export {
  type JudgedDecision,
  type PermutationOptions,
  type PermutationResult,
  permutationTest,
} from './stats/permutation-test.ts';
export { type Interval, wilsonInterval } from './stats/wilson-interval.ts';
export { averageUniqueness, disjointWindows, type WindowedDecision } from './stats/windows.ts';
