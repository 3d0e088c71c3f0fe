import fc from 'fast-check';
import type { Decision } from '../../../domain/decisions/decision.ts';
import type { Eval3Facts } from '../../../domain/grading/method-facts.ts';
import type { OutcomeFacts } from '../../../domain/grading/outcome.ts';

/** What of an outcome decides which cohorts count it: by whichever method, on which grid, with which exception. */
export const OUTCOME_PARTS = ['eval/1', 'fine', 'coarse', 'carried_open', 'suspected_split'] as const;
export type OutcomePart = (typeof OUTCOME_PARTS)[number];

export const SOME_PART = fc.constantFrom(...OUTCOME_PARTS, 'fine' as const, 'fine' as const);

export function methodOf(part: OutcomePart): OutcomeFacts['method'] {
  return part === 'eval/1' ? part : 'eval/3';
}

/** @param facts by eval/3 */
export function factsOf(part: OutcomePart, facts: OutcomeFacts): OutcomeFacts {
  if (facts.method !== 'eval/3') throw new TypeError('These facts are by eval/3.');
  if (part === 'eval/1') return eval1Facts(facts);
  return {
    ...facts,
    grid_z: part === 'coarse' ? 0.2 : facts.grid_z,
    carried_open: part === 'carried_open',
    suspected_split: part === 'suspected_split',
  };
}

function eval1Facts(facts: Eval3Facts): OutcomeFacts {
  const { source, bar_size, entry, exit, raw_return, directional_return, sigma_d, tau, z, mfe, mae } = facts;
  const { fraction_in_favour, realised_volatility, coverage, halted, delisted_exit } = facts;
  return {
    ...{ method: 'eval/1', source, bar_size, entry, exit, raw_return, directional_return, sigma_d, tau, z, mfe, mae },
    ...{ fraction_in_favour, realised_volatility, coverage, halted, delisted_exit },
  };
}

/** By the letter of docs/cohorts.md. */
export function isCounted({ submission_origin, facts }: Decision, include_retroactive: boolean): boolean {
  if (facts?.method === 'eval/3' && facts.suspected_split) return false;
  if (include_retroactive) return true;
  return submission_origin === 'realtime' && !(facts?.method === 'eval/3' && facts.carried_open);
}

/** The value of a filter that a record matches; null without one. */
export function filteredValue(record: Decision, name: keyof Decision | 'grid') {
  if (name !== 'grid') return record[name];
  if (record.facts?.method !== 'eval/3') return null;
  return record.facts.grid_z <= 0.1 ? 'fine' : 'coarse';
}
