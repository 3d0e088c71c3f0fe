const CALLS = 'analysis_class direction perspective_type';
const HORIZON = 'horizon_kind horizon_value';
const VENUE = 'venue asset_class quote_currency';

/**
 * Public records in the order of their pages, after whatever narrows them most. The columns behind record_id are no
 * part of the order: they have records of other cohorts passed over, and the ragged ends of a period counted, without
 * reading them.
 */
export const COHORT_INDEXES = [
  index('market', 'market', `${CALLS} ${HORIZON} ${VENUE} symbol`),
  index('calls', 'market analysis_class direction', `perspective_type ${HORIZON} ${VENUE}`),
  // A value says its kind: days are few, seconds are many.
  index('horizon', 'market horizon_value', `horizon_kind ${CALLS} ${VENUE}`),
  index('venue', 'market venue', `asset_class quote_currency ${CALLS} ${HORIZON}`),
  index('symbol', 'market symbol', `${VENUE} ${CALLS} ${HORIZON}`),
  index('instrument', 'instrument', `${CALLS} ${HORIZON}`),
  index('cohort_key', 'cohort_key', `market venue quote_currency perspective_type ${HORIZON}`),
  `create index public_by_evaluation on app.decisions (market, evaluated_at) where lifecycle_state = 'evaluated';`,
  // What goes with a market is not as rare within it as the planner would believe.
  'create statistics app.symbols_of_markets (dependencies) on market, symbol from app.decisions;',
  'create statistics app.venues_of_markets (dependencies) on market, venue, asset_class, quote_currency from app.decisions;',
  'create statistics app.horizons_of_markets (dependencies) on market, horizon_kind, horizon_value from app.decisions;',
].join('\n');

function index(name: string, narrowing: string, passedOver: string): string {
  const columns = `${narrowing} data_cutoff record_id ${passedOver} result_bucket submission_origin evaluated_at owner_id`;
  return `create index public_by_${name} on app.decisions (${columns.split(' ').join(', ')})
    where lifecycle_state = 'evaluated';`;
}
