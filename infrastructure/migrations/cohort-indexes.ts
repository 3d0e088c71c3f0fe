/**
 * Public records in the order of their pages, after whatever narrows them most. The columns behind record_id are no
 * part of the order: they have records of other cohorts passed over, and the ragged ends of a period counted, without
 * reading them.
 */
export const COHORT_INDEXES = [
  index(
    'market',
    'market',
    'analysis_class direction perspective_type horizon_kind horizon_value venue asset_class quote_currency symbol',
  ),
  index(
    'calls',
    'market analysis_class direction',
    'perspective_type horizon_kind horizon_value venue asset_class quote_currency',
  ),
  index(
    'horizon',
    'market horizon_kind horizon_value',
    'analysis_class direction perspective_type venue asset_class quote_currency',
  ),
  index(
    'venue',
    'market venue',
    'asset_class quote_currency analysis_class direction perspective_type horizon_kind horizon_value',
  ),
  index(
    'symbol',
    'market symbol',
    'venue asset_class quote_currency analysis_class direction perspective_type horizon_kind horizon_value',
  ),
  index('cohort_key', 'cohort_key', 'market venue quote_currency perspective_type horizon_kind horizon_value'),
  `create index public_by_evaluation on app.decisions (market, evaluated_at) where lifecycle_state = 'evaluated';`,
].join('\n');

function index(name: string, narrowing: string, passedOver: string): string {
  const columns = [
    narrowing,
    'data_cutoff record_id',
    passedOver,
    'result_bucket submission_origin evaluated_at owner_id',
  ];
  return `create index public_by_${name} on app.decisions (${columns.join(' ').split(' ').join(', ')})
    where lifecycle_state = 'evaluated';`;
}
