-- Who signs checkpoints (docs/log.md): the keys of each log, further signatures of a checkpoint, and what each witness last
-- said. A checkpoint notes which key signed it, when it is served at the latest, and when a quorum of witnesses had it.

create table app.log_keys (
  log int not null references app.logs,
  key_id text not null,
  public_key bytea not null check (length(public_key) = 32),
  since timestamptz(3) not null default app.now(),
  primary key (log, key_id)
);
call app.keep_for_ever('app.log_keys');

create table app.log_signatures (
  log int not null,
  size bigint not null,
  name text not null,
  key_id text not null,
  signature bytea not null,
  at timestamptz(3) not null default app.now(),
  primary key (log, size, name, key_id),
  foreign key (log, size) references app.log_checkpoints
);
comment on table app.log_signatures is 'By witnesses, the first of each; by a second key of the log while it changes its key.';
call app.keep_for_ever('app.log_signatures');

create table app.log_witnesses (
  log int not null references app.logs,
  name text not null,
  key_id text not null,
  size bigint not null,
  signature bytea,
  cosigned_at timestamptz(3),
  refused boolean not null,
  primary key (log, name, key_id)
);
comment on table app.log_witnesses is 'The newest cosignature of each witness, and whether it refused a checkpoint since.';

alter table app.log_checkpoints
  add key_id text,
  add served_from timestamptz(3),
  add witnessed_at timestamptz(3);
comment on column app.log_checkpoints.key_id is 'Of the signature; null: the key of app.logs.';
comment on column app.log_checkpoints.served_from is 'Before, it is served only with a quorum of witnesses.';
create index log_checkpoints_witnessed on app.log_checkpoints (log, size) where witnessed_at is not null;

do $$
declare service text := current_setting('stancebook.service_role');
begin
  execute format('grant select, insert on app.log_keys, app.log_signatures, app.log_witnesses to %I', service);
  execute format('grant update (size, signature, cosigned_at, refused) on app.log_witnesses to %I', service);
  execute format('grant update (key_id, served_from, witnessed_at) on app.log_checkpoints to %I', service);
end $$;
