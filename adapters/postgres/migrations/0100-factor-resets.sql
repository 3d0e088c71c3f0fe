-- The removal of lost second factors, which an operator requests and which waits (docs/owner-requests.md). Changes no row.

create table app.factor_resets (
  owner_id uuid primary key references app.owners on delete cascade,
  evidence text not null check (length(evidence) between 1 and 40),
  actor text not null,
  requested_at timestamptz(3) not null default app.now(),
  due_at timestamptz(3) not null check (due_at >= requested_at)
);
comment on table app.factor_resets is 'Requested by operators, and neither done nor taken back: both delete the row.';
comment on column app.factor_resets.evidence is 'How the operator has identified the person: a word of RESET_EVIDENCE in domain/accounts/factors.';
create index factor_resets_due on app.factor_resets (due_at);

do $$
begin
  execute format('grant select, insert, delete on app.factor_resets to %I', current_setting('stancebook.service_role'));
end $$;
