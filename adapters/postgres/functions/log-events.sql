-- What the evidence log has to say of a decision is written with each change, also by statements by hand (docs/log.md).

create or replace function app.closes(state text) returns boolean immutable language sql
  as $$ select state in ('rejected', 'data_unavailable', 'quarantined') $$;
comment on function app.closes is 'The states of CLOSING_REASONS of domain/log/leaves/leaf.ts.';

-- For each statement: submissions and grades of a batch are written together.
create or replace function app.log_new() returns trigger language plpgsql as $$
begin
  insert into app.log_pending (record_id, event, ready_at) select record_id, tg_argv[0], app.now() from added;
  return null;
end $$;

create or replace function app.log_submitted() returns trigger language plpgsql as $$
begin
  insert into app.log_pending (record_id, event, ready_at)
    select record_id, case when number is null then 'decision' else 'numbered' end, app.now() from added;
  return null;
end $$;
comment on function app.log_submitted is 'numbered: no worker of 0.5.0 appends it, since it would give it no mark.';

-- The delay is `LOG.longestDelay` of domain/limits.ts: moves of many decisions at once do not group their leaves.
create or replace function app.log_move() returns trigger language plpgsql as $$
begin
  insert into app.log_pending (record_id, event, reason, ready_at)
    select new.record_id, case when closes then 'closed' else 'reopened' end, case when closes then new.lifecycle_state end,
      app.now() + random() * interval '1 day'
    from app.closes(new.lifecycle_state) closes;
  return null;
end $$;

create or replace trigger log_decision after insert on app.decisions referencing new table as added
  for each statement execute function app.log_submitted();
create or replace trigger log_outcome after insert on app.decision_outcomes referencing new table as added
  for each statement execute function app.log_new('outcome');
create or replace trigger log_move after update on app.decisions for each row
  when (old.lifecycle_state <> new.lifecycle_state
    and (app.closes(old.lifecycle_state) or app.closes(new.lifecycle_state)))
  execute function app.log_move();
alter table app.decisions enable always trigger log_decision, enable always trigger log_move;
alter table app.decision_outcomes enable always trigger log_outcome;

create or replace function app.stated_factors(statement text) returns json language plpgsql immutable strict as $$
begin
  return statement::json #> '{body,key_factors}';
exception when data_exception then
  return null;
end $$;
comment on function app.stated_factors is
  'Null also for a statement that is no JSON any more: it must not stop a batch of leaves, and check-evidence reports it.';

-- Tiles, bundles and checkpoints only grow.
create or replace trigger tile_grows before update on app.log_tiles for each row
  when ((new.log, new.level, new.index) <> (old.log, old.level, old.index)
    or substr(new.hashes, 1, length(old.hashes)) <> old.hashes)
  execute function app.refuse_change('a tile only grows');
create or replace trigger bundle_grows before update on app.log_bundles for each row
  when ((new.log, new.index) <> (old.log, old.index) or substr(new.leaves, 1, length(old.leaves)) <> old.leaves)
  execute function app.refuse_change('a bundle only grows');
create or replace trigger checkpoint_stays before update on app.log_checkpoints for each row
  when ((new.log, new.size, new.root) <> (old.log, old.size, old.root)
    or (old.signature is not null
      and (new.signature, new.key_id, new.signed_at, new.served_from)
        is distinct from (old.signature, old.key_id, old.signed_at, old.served_from))
    or old.witnessed_at <> coalesce(new.witnessed_at, '-infinity'))
  execute function app.refuse_change('a checkpoint stays');
create or replace trigger tile_stays before delete on app.log_tiles for each row
  execute function app.refuse_change('a log is never cut');
create or replace trigger bundle_stays before delete on app.log_bundles for each row
  execute function app.refuse_change('a log is never cut');
create or replace trigger checkpoint_kept before delete on app.log_checkpoints for each row
  execute function app.refuse_change('a log is never cut');
create or replace trigger tiles_stay before truncate on app.log_tiles execute function app.refuse_change('a log is never cut');
create or replace trigger bundles_stay before truncate on app.log_bundles
  execute function app.refuse_change('a log is never cut');
create or replace trigger checkpoints_stay before truncate on app.log_checkpoints
  execute function app.refuse_change('a log is never cut');
alter table app.log_tiles enable always trigger tile_grows, enable always trigger tile_stays,
  enable always trigger tiles_stay;
alter table app.log_bundles enable always trigger bundle_grows, enable always trigger bundle_stays,
  enable always trigger bundles_stay;
alter table app.log_checkpoints enable always trigger checkpoint_stays, enable always trigger checkpoint_kept,
  enable always trigger checkpoints_stay;
