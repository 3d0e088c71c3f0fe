-- Records count under what their names mean by statements that were learned after they were received (docs/securities.md).
-- Changes no row.

alter table app.decisions
  add column received_symbol text,
  add column received_cohort_key text,
  add column counted_since timestamptz(3),
  add constraint later_names check (
    num_nulls(received_symbol, received_cohort_key, counted_since) in (0, 3) and received_symbol <> symbol
      and isfinite(counted_since)) not valid;
comment on column app.decisions.received_symbol is
  'What the name was read as at receipt, for good, where a statement that was learned later reads it otherwise: symbol, instrument and cohort_key are then what the record counts under. Null of every other record.';
comment on column app.decisions.received_cohort_key is 'The same of cohort_key; the receipt has it, too.';
comment on column app.decisions.counted_since is 'When the statement was learned by which the record counts under its symbol.';
