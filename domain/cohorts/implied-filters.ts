import type { CohortFilter } from './cohort-filter.ts';

/**
 * The filter without the members that its cohort key implies (settled.md section 3); null where the two contradict each
 * other, so that no record can match both. A key implies no venue, no quote currency and no horizon.
 */
export function withoutImplied(filter: CohortFilter): CohortFilter | null {
  if (filter.cohort_key === undefined) return filter;
  const implied = impliedBy(filter.cohort_key);
  const agrees = IMPLIED.every((field) => filter[field] === undefined || filter[field] === implied[field]);
  const { symbol: _, asset_class: __, direction: ___, analysis_class: ____, ...rest } = filter;
  return agrees ? rest : null;
}

/** The symbol in a cohort key. */
export function symbolOf(cohort_key: string): string {
  return impliedBy(cohort_key).symbol;
}

const IMPLIED = ['market', 'symbol', 'asset_class', 'direction', 'analysis_class'] as const;

function impliedBy(cohort_key: string) {
  const [market, base = '', asset_class, , direction, , analysis_class] = cohort_key.split(':');
  return { market, symbol: base.toUpperCase(), asset_class, direction, analysis_class };
}
