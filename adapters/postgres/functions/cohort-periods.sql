-- Calendar periods in UTC, by which cells are kept.

create or replace function app.period_start(period text, at timestamptz) returns timestamptz stable language sql as $$
  select case period when 'all' then '-infinity'::timestamptz
    when 'six_hours' then date_bin('6 hours', at, timestamptz 'epoch') else date_trunc(period, at, 'UTC') end
$$;

create or replace function app.period_end(period text, at timestamptz) returns timestamptz stable language sql as $$
  select case period when 'all' then 'infinity'::timestamptz
    when 'six_hours' then date_bin('6 hours', at, timestamptz 'epoch') + interval '6 hours'
    else (date_trunc(period, at at time zone 'UTC') + ('1 ' || period)::interval) at time zone 'UTC' end
$$;
