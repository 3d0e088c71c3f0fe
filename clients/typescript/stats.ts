export { type Caution, cautionsOf } from './stats/cautions.ts';
export {
  type CountedShare,
  type Interval,
  readShare,
  type ShareOptions,
  wilsonInterval,
} from './stats/counted-share.ts';
export {
  type AskedQuestion,
  benjaminiHochberg,
  type JudgedDecision,
  type JudgedQuestion,
  type PermutationOptions,
  type PermutationResult,
  permutationTest,
} from './stats/permutation-test.ts';
export { averageUniqueness, disjointWindows, type WindowedDecision } from './stats/windows.ts';
