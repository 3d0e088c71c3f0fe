-- Ungraded records of a market or symbol, counted next to the graded ones of a cohort
-- (docs/adr/0006-cohorts-are-cells-and-a-tail.md).

create index ungraded_by_symbol on app.decisions (market, symbol)
  where lifecycle_state in ('rejected', 'data_unavailable');
