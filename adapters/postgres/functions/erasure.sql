-- The erasure of owners (docs/adr/0026-erasure-empties-rows-in-place.md). The role of the service can change none of these
-- rows; it calls the functions below, which run as the owner of the schema. Triggers let everybody do what they do, and
-- nothing else: rows of an owner whose account is gone become exactly what an erasure leaves of them.

-- An entry is made when the account goes, and stays: nobody who has an account is in it.
create or replace function app.guard_erasure() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' and not exists (select from app.owners o where o.owner_id = new.owner_id) then
    return new;
  end if;
  if tg_op = 'UPDATE' and (new.owner_id, new.removed_at) = (old.owner_id, old.removed_at) and old.ended_at is null
    and new.records >= old.records then
    return new;
  end if;
  raise exception '% on erasures is refused: it is of an owner whose account is gone, and stays', tg_op using errcode = '42501';
end $$;
create or replace trigger guard before insert or update or delete on app.erasures for each row
  execute function app.guard_erasure();
create or replace trigger guard_whole before truncate on app.erasures
  execute function app.refuse_change('it is of owners whose accounts are gone, and stays');
alter table app.erasures enable always trigger guard, enable always trigger guard_whole;

create or replace function app.is_erased(owner uuid) returns boolean stable language sql
  as $$ select exists (select from app.erasures e where e.owner_id = owner) $$;

-- ErasedStatement of domain/log/leaves/public-statement.ts: the factors as others see them, since they are in the public
-- statement, and the digest of the producer, which no longer says anything without the salt.
create or replace function app.erased_statement(statement text, salt bytea, owner_id uuid, agent_id text) returns text
language plpgsql immutable as $$
declare
  factors jsonb := '[]';
begin
  begin
    select coalesce(jsonb_agg(case jsonb_typeof(f.factor) when 'object' then (
        select jsonb_object_agg(m.key, m.value) from jsonb_each(f.factor) m
        where m.key = any('{factor,id,depends_on,dimension,direction,weight,metric}')) else f.factor end order by f.place), '[]')
      into factors from jsonb_array_elements(app.stated_factors(statement)::jsonb) with ordinality f(factor, place);
  exception when data_exception then
    -- A statement that is no JSON any more; check-evidence has reported it.
    null;
  end;
  return jsonb_build_object('body', jsonb_build_object('key_factors', factors), 'erased', true, 'producer',
    encode(sha256(convert_to(e'stancebook/producer/1\n', 'UTF8') || salt || convert_to(owner_id || '/' || agent_id, 'UTF8')), 'hex'));
end $$;

create or replace function app.erased_facts() returns jsonb immutable language sql
  as $$ select '{"levels": null, "reference_price": null, "knowledge_overlap": null}'::jsonb $$;
comment on function app.erased_facts is 'OwnerFacts of domain/grading/outcome.ts of a decision that names nothing of which they derive.';

create or replace function app.guard_document() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and old.salt is not null and new.salt is null and new.submission is null and new.confidence is null
    and (new.record_id, new.commitment, new.receipt, new.received) = (old.record_id, old.commitment, old.receipt, old.received)
    and exists (select from app.decisions d where d.record_id = old.record_id and app.is_erased(d.owner_id)
      and new.statement = app.erased_statement(old.statement, old.salt, d.owner_id, d.agent_id)) then
    return new;
  end if;
  raise exception '% on % is refused: its rows are evidence', tg_op, tg_table_name using errcode = '42501';
end $$;
create or replace trigger evidence before update or delete on app.decision_documents for each row
  execute function app.guard_document();
create or replace trigger keep_salt before insert on app.decision_documents for each row when (new.salt is null)
  execute function app.refuse_change('a statement is received with its salt');
alter table app.decision_documents enable always trigger evidence, enable always trigger keep_salt;

create or replace function app.guard_outcome() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and new.owner_facts = app.erased_facts()
    and to_jsonb(new) - 'owner_facts' = to_jsonb(old) - 'owner_facts'
    and exists (select from app.decisions d where d.record_id = old.record_id and app.is_erased(d.owner_id)) then
    return new;
  end if;
  raise exception '% on % is refused: its rows are evidence', tg_op, tg_table_name using errcode = '42501';
end $$;
create or replace trigger evidence before update or delete on app.decision_outcomes for each row
  execute function app.guard_outcome();
alter table app.decision_outcomes enable always trigger evidence;

create or replace function app.keep_symbol() returns trigger language plpgsql as $$
begin
  if new.submitted_symbol = coalesce(new.received_symbol, new.symbol) and app.is_erased(new.owner_id) then
    return new;
  end if;
  raise exception 'UPDATE on decisions is refused: what was submitted stays' using errcode = '42501';
end $$;
create or replace trigger keep_symbol before update of submitted_symbol on app.decisions for each row
  when (old.submitted_symbol is distinct from new.submitted_symbol) execute function app.keep_symbol();
alter table app.decisions enable always trigger keep_symbol;

create or replace function app.guard_publication() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and app.is_erased(old.owner_id) then
    return old;
  end if;
  raise exception '% on % is refused: its rows are evidence', tg_op, tg_table_name using errcode = '42501';
end $$;
create or replace trigger evidence before update or delete on app.workflow_publications for each row
  execute function app.guard_publication();
alter table app.workflow_publications enable always trigger evidence;

-- A content without a publication is what an erasure left.
create or replace function app.guard_snapshot() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and not exists (select from app.workflow_publications p where p.hash = old.hash)
    and exists (select from app.erasures) then
    return old;
  end if;
  raise exception '% on % is refused: its rows are evidence', tg_op, tg_table_name using errcode = '42501';
end $$;
create or replace trigger evidence before update or delete on app.workflow_snapshots for each row
  execute function app.guard_snapshot();
alter table app.workflow_snapshots enable always trigger evidence;

-- The keys are revoked with the mark of a suspension. An erasure that is scheduled stays as it is.
create or replace function app.schedule_erasure(erased uuid, grace interval) returns timestamptz language plpgsql volatile
security definer set search_path = pg_catalog, pg_temp as $$
declare
  due timestamptz;
begin
  -- ERASURE.grace of domain/limits.ts
  if grace < interval '7 days' then
    raise exception 'An erasure is refused that cannot be taken back for a week.' using errcode = '42501';
  end if;
  update app.owners o set erases_at = app.now() + grace where o.owner_id = erased and o.erases_at is null
    returning o.erases_at into due;
  if not found then
    return (select o.erases_at from app.owners o where o.owner_id = erased);
  end if;
  update app.api_keys k set revoked_at = app.now(), suspended = true where k.owner_id = erased and k.revoked_at is null;
  return due;
end $$;
comment on function app.schedule_erasure is 'When the account will be erased; null without the account.';

-- The keys of a suspended account come back at the end of the suspension.
create or replace function app.take_back_erasure(erased uuid) returns text[] language plpgsql volatile
security definer set search_path = pg_catalog, pg_temp as $$
declare
  is_suspended boolean;
  restored text[];
begin
  update app.owners o set erases_at = null where o.owner_id = erased and o.erases_at is not null
    returning o.suspended_at is not null into is_suspended;
  if not found then
    return null;
  end if;
  with back as (
    update app.api_keys k set revoked_at = null, suspended = false
    where k.owner_id = erased and k.suspended and not is_suspended returning k.key_prefix
  ) select array_agg(back.key_prefix order by back.key_prefix) into restored from back;
  return coalesce(restored, '{}');
end $$;
comment on function app.take_back_erasure is 'The prefixes of the keys that work again; null when nothing was scheduled.';

-- Each submission under way holds its key: what it writes is there when the key is locked, and no other one begins.
create or replace function app.remove_account(erased uuid) returns boolean language plpgsql volatile
security definer set search_path = pg_catalog, pg_temp as $$
declare
  agents text[];
begin
  perform from app.owners o where o.owner_id = erased and o.erases_at <= app.now() for update;
  if not found then
    return false;
  end if;
  perform from app.api_keys k where k.owner_id = erased for update;
  agents := array(select a.agent_id from app.agents a where a.owner_id = erased);
  delete from app.idempotency i where i.agent_id = any(agents);
  delete from app.cooldowns c where c.agent_id = any(agents);
  delete from app.submit_hours h where h.agent_id = any(agents);
  -- What is not in the log yet keeps its marks, not what they are made of.
  update app.log_pending p set mark = app.mark_of(s.salt, d.number),
      producer = app.numbered_producer(t.salt, d.owner_id, d.agent_id, d.number, s.salt)
    from app.decisions d join app.decision_documents t using (record_id) join app.agent_submissions s using (agent_id)
    where p.event = 'numbered' and d.record_id = p.record_id and d.owner_id = erased;
  delete from app.agent_submissions s where s.agent_id = any(agents);
  delete from app.owners o where o.owner_id = erased;
  insert into app.erasures (owner_id) values (erased);
  return true;
end $$;
comment on function app.remove_account is 'False for an account that is not to be erased yet.';

-- A record that is being evaluated is left out, since its outcome may be under way with facts from before; so is one that
-- somebody else has locked. The next pass has them.
create or replace function app.erase_records(erased uuid, most int, out written int, out state text) language plpgsql volatile
security definer set search_path = pg_catalog, pg_temp as $$
declare
  erasure app.erasures;
  page text[];
  free text[];
  first text;
  last text;
begin
  written := 0;
  select * into erasure from app.erasures e where e.owner_id = erased and e.ended_at is null for update;
  if not found then
    state := 'none';
    return;
  end if;
  page := array(select d.record_id from app.decisions d where d.owner_id = erased
    and (erasure.after_record is null or (d.submission_time, d.record_id) < (
      (select a.submission_time from app.decisions a where a.record_id = erasure.after_record), erasure.after_record))
    order by d.submission_time desc, d.record_id desc limit most);
  if cardinality(page) = 0 then
    state := case when erasure.has_skipped then 'waiting' else 'ended' end;
    update app.erasures e set after_record = null, has_skipped = false,
      ended_at = case when not erasure.has_skipped then app.now() end where e.owner_id = erased;
    return;
  end if;
  select array_agg(l.record_id), min(l.record_id), max(l.record_id) into free, first, last from (
    select d.record_id from app.decisions d where d.record_id = any(page) and d.lifecycle_state <> 'evaluating'
    for no key update skip locked) l;
  update app.decision_documents s
    set statement = app.erased_statement(s.statement, s.salt, d.owner_id, d.agent_id), salt = null, submission = null,
      confidence = null
    from app.decisions d
    where s.record_id = any(free) and s.record_id between first and last and s.salt is not null and d.record_id = s.record_id;
  get diagnostics written = row_count;
  update app.decision_outcomes o set owner_facts = app.erased_facts()
    where o.record_id = any(free) and o.record_id between first and last and o.owner_facts <> app.erased_facts();
  update app.decisions d set submitted_symbol = coalesce(d.received_symbol, d.symbol), archive_reason = null
    where d.record_id = any(free)
      and (d.submitted_symbol <> coalesce(d.received_symbol, d.symbol) or d.archive_reason is not null);
  update app.erasures e set after_record = page[cardinality(page)], records = e.records + written,
    has_skipped = e.has_skipped or cardinality(page) > coalesce(cardinality(free), 0) where e.owner_id = erased;
  state := 'more';
end $$;
comment on function app.erase_records is
  'The next records of an owner. state: more; waiting, for records that were in use; ended, once; none.';

-- Published workflows stay where a record of somebody else names them, or somebody else published the same content. The
-- lock is that of a publication: see reply-texts.sql.
create or replace function app.erase_traces(erased uuid, most int) returns int language plpgsql volatile
security definer set search_path = pg_catalog, pg_temp as $$
declare
  gone text[];
  written int;
begin
  if not app.is_erased(erased) then
    return 0;
  end if;
  update app.plans p set salt = null, statement = null, question = null, content = null
    where p.plan_id = any(array(select t.plan_id from app.plans t where t.owner_id = erased and t.salt is not null limit most));
  get diagnostics written = row_count;
  if written > 0 then
    return written;
  end if;
  delete from app.decision_notes n where n.ctid = any(array(
    select t.ctid from app.decision_notes t where t.owner_id = erased limit most));
  get diagnostics written = row_count;
  if written > 0 then
    return written;
  end if;
  delete from app.events v where v.seq = any(array(select t.seq from app.events t where t.owner_id = erased limit most));
  get diagnostics written = row_count;
  if written > 0 then
    return written;
  end if;
  perform pg_advisory_xact_lock(7382614916);
  gone := array(select distinct p.hash from app.workflow_publications p where p.owner_id = erased and not exists (
    select from app.workflow_counts c where c.workflow_hash = p.hash and c.owner_id <> erased) limit most);
  delete from app.workflow_publications p where p.owner_id = erased and p.hash = any(gone);
  get diagnostics written = row_count;
  delete from app.workflow_snapshots s where s.hash = any(gone)
    and not exists (select from app.workflow_publications p where p.hash = s.hash);
  return written;
end $$;
comment on function app.erase_traces is 'Empties plans, removes notes, events and published workflows; how many. 0: there are no more.';
