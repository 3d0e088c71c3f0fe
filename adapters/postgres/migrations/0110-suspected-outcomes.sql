-- Online: finds the suspected outcomes of an instrument, which no cohort counts, as ungraded_by_symbol finds the ungraded.

drop index concurrently if exists app.suspected_by_symbol;
create index concurrently suspected_by_symbol on app.decisions (market, symbol)
  where lifecycle_state = 'evaluated' and cohort_exception = 'suspected_split';
