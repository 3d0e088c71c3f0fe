-- Online: finds the outcomes of an instrument by the prices of another security, which no cohort counts.

drop index concurrently if exists app.wrong_by_symbol;
create index concurrently wrong_by_symbol on app.decisions (market, symbol)
  where lifecycle_state = 'evaluated' and cohort_exception = 'wrong_security';
