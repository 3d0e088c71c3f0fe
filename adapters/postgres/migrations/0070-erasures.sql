-- Owners can be erased (docs/adr/0026-erasure-empties-rows-in-place.md). Changes no row of a table that is there; locks the
-- tables for a moment, and waits for no other transaction for longer than 0.3 s at once.

do $$ begin
  perform set_config('lock_timeout', '300ms', true);
  for n in 1..300 loop
    begin
      lock table app.owners, app.decision_documents in access exclusive mode;
      return;
    exception when lock_not_available or deadlock_detected then
      perform pg_sleep(0.5);
    end;
  end loop;
  raise exception 'app.owners or app.decision_documents is in use by a long transaction: end it (a backup, for example), then migrate again.';
end $$;

alter table app.owners add column erases_at timestamptz(3);
comment on column app.owners.erases_at is 'When the account will be erased, unless its owner takes that back; null: it stays.';
alter table app.decision_documents alter column salt drop not null;
comment on column app.decision_documents.salt is 'Null once the owner was erased: the statement is then what app.erased_statement left of it.';

create table app.erasures (
  owner_id uuid primary key,
  removed_at timestamptz(3) not null default app.now(),
  after_record text,
  has_skipped boolean not null default false,
  records bigint not null default 0,
  ended_at timestamptz(3)
);
comment on table app.erasures is 'Owners whose accounts are gone, and what they wrote with them; the rows stay.';
comment on column app.erasures.after_record is 'The last record that the pass over the records of the owner has reached.';
comment on column app.erasures.has_skipped is 'The pass left out records that were in use, so there will be another one.';
comment on column app.erasures.records is 'Records whose text is erased.';

-- Owners that were deleted by an earlier release, which left the text of their records.
insert into app.erasures (owner_id)
  select distinct l.subject::uuid from app.audit_log l
  where l.action = 'delete_owner' and l.subject ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
    and not exists (select from app.owners o where o.owner_id::text = l.subject);

do $$ begin
  execute format('grant select on app.erasures to %I', current_setting('stancebook.service_role'));
end $$;
