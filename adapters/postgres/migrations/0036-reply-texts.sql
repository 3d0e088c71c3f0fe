-- The texts of replies about evaluated records (docs/records.md): a cache that nothing depends on. Unlogged: a crash, a
-- failover and a restored backup leave it empty, and it adds nothing to the WAL. Texts are sealed by a key that the database
-- does not have.

create unlogged table app.reply_texts (
  record_id text not null,
  edition text not null,
  owner_id uuid not null references app.owners on delete cascade,
  owner_text text,
  public_text text,
  read_at timestamptz(3) not null,
  primary key (record_id, edition)
) with (fillfactor = 80);
comment on table app.reply_texts is 'Sealed replies about evaluated records. Whatever is removed is computed again.';
comment on column app.reply_texts.edition is 'Of the form of the replies: a release that changes it finds none of the texts.';
comment on column app.reply_texts.owner_id is 'Who reads owner_text instead of public_text; replies about records of removed owners are not stored.';
comment on column app.reply_texts.read_at is 'The last read, to within an hour: the longest unread go first.';
-- Sealed texts cannot be compressed.
alter table app.reply_texts alter owner_text set storage external, alter public_text set storage external;
create index on app.reply_texts (owner_id);

do $$
declare service text := current_setting('stancebook.service_role');
begin
  execute format('grant select, insert, delete on app.reply_texts to %I', service);
  execute format('grant update (owner_text, public_text, read_at) on app.reply_texts to %I', service);
end $$;
