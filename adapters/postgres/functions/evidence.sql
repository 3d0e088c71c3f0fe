-- Evidence: rows that no role can change or remove (docs/adr/0004-evidence-is-out-of-reach.md).

create or replace function app.refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% on % is refused: %', tg_op, tg_table_name, coalesce(tg_argv[0], 'its rows are evidence')
    using errcode = '42501';
end $$;

-- Rows of the table can be added and read, and no role can change or remove them again. Migrations call it.
create or replace procedure app.keep_for_ever(evidence regclass) language plpgsql as $$
begin
  execute format('create or replace trigger evidence before update or delete on %s for each row
    execute function app.refuse_change()', evidence);
  execute format('create or replace trigger evidence_whole before truncate on %s
    execute function app.refuse_change()', evidence);
  execute format('alter table %s enable always trigger evidence, enable always trigger evidence_whole', evidence);
end $$;
