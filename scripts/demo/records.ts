import type { Journal } from './journal.ts';
import type { Planned } from './plan.ts';

/** An acknowledged decision of the plan. */
export interface Acknowledgement extends Planned {
  readonly record_id: string;
}

export function acknowledgedOf(plan: readonly Planned[], { acknowledged }: Journal): readonly Acknowledgement[] {
  return plan.flatMap((planned) => {
    const record_id = acknowledged.get(planned.key);
    return record_id === undefined ? [] : [{ ...planned, record_id }];
  });
}
