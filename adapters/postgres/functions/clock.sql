-- The clocks: of receive times, and of windows and days.

create or replace function app.now() returns timestamptz language sql volatile
  as $$ select date_trunc('milliseconds', clock_timestamp()) $$;
comment on function app.now() is 'The one clock of windows, days and receive times, in whole milliseconds.';

create or replace function app.limits_now() returns timestamptz language sql volatile
  as $$ select greatest(app.now(), f.at) from app.limits_floor f $$;
comment on function app.limits_now() is 'The clock of windows and days: app.now(), but never before what has been forgotten.';
