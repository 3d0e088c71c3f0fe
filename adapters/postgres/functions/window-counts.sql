-- The most windows of which no two overlap.

create or replace function app.take_window(taken bigint, since_until int[]) returns bigint immutable
language plpgsql as $$
begin
  if since_until[1] < (taken >> 32) then return taken; end if;
  return (since_until[2]::bigint << 32) | ((taken & 4294967295) + 1);
end $$;
comment on function app.take_window is
  'The end of the last window taken, in the higher half, and how many were. The next window ends at the same time or later.';

create or replace function app.taken_windows(taken bigint) returns int immutable language sql
  return taken & 4294967295;
comment on function app.taken_windows is 'How many were taken.';

create or replace aggregate app.disjoint_windows(since_until int[]) (
  sfunc = app.take_window, stype = bigint, initcond = '-9223372036854775808', finalfunc = app.taken_windows);
comment on aggregate app.disjoint_windows(int[]) is
  'Of windows in the order of their ends; mostDisjoint of domain/decisions/own/window-counts.ts.';
