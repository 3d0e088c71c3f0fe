import type { Journal } from './journal.ts';
import type { Planned } from './plan.ts';

/** A planned decision that the service has acknowledged. */
export interface Acknowledgement extends Planned {
  readonly record_id: string;
}

export function acknowledgedOf(plan: readonly Planned[], { acknowledged }: Journal): readonly Acknowledgement[] {
  return plan.flatMap((planned) => {
    const record_id = acknowledged.get(planned.key);
    return record_id === undefined ? [] : [{ ...planned, record_id }];
  });
}
