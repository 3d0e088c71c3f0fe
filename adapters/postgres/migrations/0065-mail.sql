-- Mail: whether an address is confirmed, one-time links, and the mails that are to be sent. Changes no row; locks the table
-- of owners for a moment, and waits for no other transaction for longer than 0.3 s at once.

do $$ begin
  perform set_config('lock_timeout', '300ms', true);
  for n in 1..300 loop
    begin
      lock table app.owners in access exclusive mode;
      return;
    exception when lock_not_available or deadlock_detected then
      perform pg_sleep(0.5);
    end;
  end loop;
  raise exception 'app.owners is in use by a long transaction: end it (a backup, for example), then migrate again.';
end $$;

alter table app.owners add column email_confirmed_at timestamptz(3)
  check (email_confirmed_at is null or email is not null);
comment on column app.owners.email_confirmed_at is 'When a link that was mailed to the address was used first.';

create table app.one_time_links (
  token_hash bytea primary key,
  owner_id uuid not null references app.owners (owner_id) on delete cascade,
  purpose text not null check (purpose ~ '^[a-z_]{1,40}$'),
  bound_to bytea not null,
  mailed boolean not null,
  created_at timestamptz(3) not null default app.now(),
  expires_at timestamptz(3) not null,
  unique (owner_id, purpose)
);
comment on table app.one_time_links is 'An owner has one link of a purpose: a new one replaces it.';
comment on column app.one_time_links.bound_to is 'A hash of what the link is for, such as the password that it replaces.';
comment on column app.one_time_links.mailed is 'Sent to the address of the owner alone, so that its use confirms the address.';

create table app.mails (
  mail_id uuid primary key,
  kind text not null check (kind ~ '^[a-z_]{1,40}$'),
  on_request boolean not null,
  owner_id uuid references app.owners (owner_id) on delete set null,
  address_hash bytea not null,
  content bytea,
  status text not null default 'pending' check (status in ('pending', 'sent', 'failed', 'void')),
  attempts integer not null default 0 check (attempts >= 0),
  failure text check (failure ~ '^[a-z_]{1,40}$'),
  due_at timestamptz(3) default app.now(),
  token uuid,
  created_at timestamptz(3) not null default app.now(),
  expires_at timestamptz(3) not null,
  ended_at timestamptz(3),
  check ((status = 'pending') = (due_at is not null)),
  check ((status = 'pending') = (content is not null)),
  check ((status = 'pending') = (ended_at is null)),
  check (token is null or status = 'pending')
);
comment on column app.mails.on_request is 'Somebody asked for it, and no preference switches it off; else it is a notice.';
comment on column app.mails.owner_id is 'Null also before it is known whether the address has an account.';
comment on column app.mails.address_hash is 'A keyed hash of the folded address.';
comment on column app.mails.content is 'Address and facts, sealed under a key that derives from SESSION_SECRET; removed at its end.';
comment on column app.mails.token is 'Of the process that sends it, until due_at.';
create index mails_to_address on app.mails (address_hash, created_at);
create index mails_of_owner on app.mails (owner_id);
create index mails_due on app.mails (due_at) where status = 'pending';

do $$
declare service text := current_setting('stancebook.service_role');
begin
  execute format('grant update (email_confirmed_at) on app.owners to %I', service);
  execute format('grant select, insert, delete on app.one_time_links, app.mails to %I', service);
  execute format('grant update (token_hash, bound_to, mailed, created_at, expires_at) on app.one_time_links to %I', service);
  execute format('grant update (owner_id, content, status, attempts, failure, due_at, token, ended_at) on app.mails to %I',
    service);
end $$;
