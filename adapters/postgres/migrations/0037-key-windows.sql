-- The rate windows of a key are in its row: one update finds the key, refuses a revoked one and counts in both windows. The
-- minute is that of the last second.

alter table app.api_keys
  add column second_start timestamptz(3) not null default '-infinity',
  add column second_used int not null default 0,
  add column minute_used int not null default 0,
  add column admitted int not null default 0;
-- Room for new versions of a row on its page: no index changes when requests are counted.
alter table app.api_keys set (fillfactor = 50);
comment on column app.api_keys.second_start is 'The last second in which a request of the key was counted; minute_used counts in its minute.';
comment on column app.api_keys.admitted is 'Requests that the last update counted: the update returns it.';
update app.api_keys k
  set second_start = w.second_start, second_used = w.second_used, minute_used = w.minute_used
  from app.rate_windows w where w.subject = 'key ' || k.key_prefix;

alter table app.rate_windows add column admitted int not null default 0;
comment on column app.rate_windows.admitted is 'Requests that the last statement counted: the statement returns it.';
alter table app.quota_days add column taken int not null default 0;
comment on column app.quota_days.taken is 'Units that the last statement took, or tried to take when it made the row: the statement returns it.';

do $$
declare service text := current_setting('stancebook.service_role');
begin
  execute format('grant update (second_start, second_used, minute_used, admitted) on app.api_keys to %I', service);
  execute format('grant update (admitted) on app.rate_windows to %I', service);
  execute format('grant update (taken) on app.quota_days to %I', service);
end $$;
