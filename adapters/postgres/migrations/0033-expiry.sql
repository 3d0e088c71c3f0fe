-- Expired rows are deleted in passes over the pages of their table (adapters/postgres/kit/expired-rows.ts), which need no
-- index on time: no submission and no login has to maintain one.

create table app.expiry_passes (
  table_name text primary key,
  page bigint not null default 0,
  began_at timestamptz(3) not null,
  clean_until timestamptz(3),
  deleted bigint not null default 0
);
comment on column app.expiry_passes.page is 'The first page of the table that the pass has not reached.';
comment on column app.expiry_passes.clean_until is 'When the last whole pass began.';

drop index app.idempotency_created_at_idx;
drop index app.provider_logins_created_at_idx;
drop index app.device_sign_ins_expires_at_idx;

-- A queue: what is vacuumed late, each batch reads again.
alter table app.log_pending set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000);

do $$
declare service text := current_setting('stancebook.service_role');
begin
  execute format('grant select, insert on app.expiry_passes to %I', service);
  execute format('grant update (page, began_at, clean_until, deleted) on app.expiry_passes to %I', service);
end $$;
