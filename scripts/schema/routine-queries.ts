import { grantsOf } from './grants.ts';

/** The schema itself, then each of its types that is no table's. */
export const TYPES = `
  select concat_ws(e'\\n', 'create schema app;', ${grantsOf('n.nspacl', `'schema app'`, 'n.nspowner')}) as text
  from pg_namespace n where n.nspname = 'app'
  union all (
    select case t.typtype when 'c' then 'create type ' || t.oid::regtype || e' as (\\n' || (
        select string_agg('  ' || quote_ident(a.attname) || ' ' || format_type(a.atttypid, a.atttypmod), e',\\n' order by a.attnum)
        from pg_attribute a where a.attrelid = t.typrelid and a.attnum > 0 and not a.attisdropped) || e'\\n);'
      when 'e' then 'create type ' || t.oid::regtype || ' as enum (' || (
        select string_agg(quote_literal(e.enumlabel), ', ' order by e.enumsortorder) from pg_enum e where e.enumtypid = t.oid)
        || ');'
      else '-- type ' || t.oid::regtype || ' of kind ' || t.typtype::text end
    from pg_type t left join pg_class c on c.oid = t.typrelid
    where t.typnamespace = 'app'::regnamespace and t.typtype <> 'b' and (c.oid is null or c.relkind = 'c')
    order by t.typname
  )`;

export const VIEWS = `
  select concat_ws(e'\\n', 'create view ' || c.oid::regclass || coalesce(' with (' || array_to_string(c.reloptions, ', ') || ')', '')
      || e' as\\n' || pg_get_viewdef(c.oid),
    'comment on view ' || c.oid::regclass || ' is ' || quote_literal(obj_description(c.oid, 'pg_class')) || ';',
    ${grantsOf('c.relacl', 'c.oid::regclass', 'c.relowner')}) as text
  from pg_class c where c.relnamespace = 'app'::regnamespace and c.relkind in ('v', 'm') order by c.relname`;

const SIGNATURE = `
  'create ' || case p.prokind when 'p' then 'procedure ' else 'function ' end || p.oid::regproc
    || '(' || pg_get_function_arguments(p.oid) || ')' || coalesce(' returns ' || pg_get_function_result(p.oid), '') || ';'`;

const AGGREGATE = `
  'create aggregate ' || p.oid::regprocedure || ' (sfunc = ' || g.aggtransfn || ', stype = ' || g.aggtranstype::regtype
    || coalesce(', initcond = ' || quote_literal(g.agginitval), '')
    || coalesce(', finalfunc = ' || nullif(g.aggfinalfn::oid, 0)::regproc, '') || ');'`;

export const FUNCTIONS = (bodies: boolean) => `
  select concat_ws(e'\\n', case p.prokind when 'a' then ${AGGREGATE}
      else ${bodies ? `rtrim(pg_get_functiondef(p.oid), e'\\n') || ';'` : SIGNATURE} end,
    'comment on function ' || p.oid::regproc || ' is ' || quote_literal(obj_description(p.oid, 'pg_proc')) || ';',
    ${grantsOf('p.proacl', `(case p.prokind when 'p' then 'procedure ' else 'function ' end || p.oid::regproc)`, 'p.proowner')}) as text
  from pg_proc p left join pg_aggregate g on g.aggfnoid = p.oid
  where p.pronamespace = 'app'::regnamespace order by p.proname, pg_get_function_identity_arguments(p.oid)`;
