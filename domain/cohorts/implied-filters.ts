import type { CohortFilter } from './cohort-filter.ts';

/**
 * The filter without what its cohort key says anyway (settled.md section 3); null where the two contradict each other, so
 * that no record can meet both. A venue, a quote currency and a horizon are not said by a key.
 */
export function withoutImplied(filter: CohortFilter): CohortFilter | null {
  if (filter.cohort_key === undefined) return filter;
  const said = saidBy(filter.cohort_key);
  const agrees = SAID.every((field) => filter[field] === undefined || filter[field] === said[field]);
  const { symbol: _, asset_class: __, direction: ___, analysis_class: ____, ...rest } = filter;
  return agrees ? rest : null;
}

/** The symbol that a cohort key names. */
export function symbolOf(cohort_key: string): string {
  return saidBy(cohort_key).symbol;
}

const SAID = ['market', 'symbol', 'asset_class', 'direction', 'analysis_class'] as const;

function saidBy(cohort_key: string) {
  const [market, base = '', asset_class, , direction, , analysis_class] = cohort_key.split(':');
  return { market, symbol: base.toUpperCase(), asset_class, direction, analysis_class };
}
