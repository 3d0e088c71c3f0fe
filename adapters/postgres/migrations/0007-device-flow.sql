-- Sign-ins by the device flow (settled.md section 8).

create table app.device_sign_ins (
  code_hash bytea primary key check (length(code_hash) = 32),
  sealed_code bytea not null,
  status text not null check (status in ('pending', 'approved', 'denied', 'expired', 'spent', 'consumed')),
  owner_id uuid references app.owners on delete cascade,
  poll_every int not null check (poll_every > 0),
  next_poll_at timestamptz(3) not null,
  lease_token uuid,
  lease_until timestamptz(3),
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  check ((owner_id is not null) = (status in ('approved', 'consumed'))),
  check ((lease_token is null) = (lease_until is null)),
  check (lease_token is null or status = 'pending')
);
create index on app.device_sign_ins (expires_at);
create index on app.device_sign_ins (owner_id);
comment on column app.device_sign_ins.sealed_code is 'Opened by the device code alone, of which only the hash is here.';
comment on column app.device_sign_ins.poll_every is 'Milliseconds.';

do $$
declare service text := current_setting('stancebook.service_role');
begin
  execute format('grant select, insert, update, delete on app.device_sign_ins to %I', service);
end $$;
