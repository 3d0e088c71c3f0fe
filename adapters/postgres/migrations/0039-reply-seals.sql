-- What identifies a sealed text, in the row itself: its nonce and tag. A process that has opened a text does not read it again.
-- The table is a cache: without rows it has nothing to rewrite.

truncate app.reply_texts;
alter table app.reply_texts
  add column owner_seal text generated always as (left(owner_text, 38)) stored,
  add column public_seal text generated always as (left(public_text, 38)) stored;
comment on column app.reply_texts.owner_seal is 'The nonce and tag of owner_text; public_seal likewise.';
