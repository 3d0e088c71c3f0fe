/** `$1` is the role that owns the schema, `$2` that of the service. Of others the names are printed as they are. */
const ROLE = `case g.grantee when 0 then 'public' else (
  select case r.rolname when $1 then 'owner' when $2 then 'service' else r.rolname::text end
  from pg_roles r where r.oid = g.grantee) end`;

/**
 * A scalar query of the grants in an ACL but those of its owner, one line each.
 * @param acl SQL of an `aclitem[]`; null, for the default, has no line
 * @param on SQL of the text between `on` and `to`
 * @param columns SQL of the text behind each privilege
 */
export function grantsOf(acl: string, on: string, owner: string, columns = `''`): string {
  return `(select string_agg('grant ' || privileges || ' on ' || ${on} || ' to ' || grantee || ';', e'\\n' order by grantee)
    from (
      select ${ROLE} as grantee, string_agg(lower(g.privilege_type) || ${columns}, ', ' order by g.privilege_type) as privileges
      from aclexplode(${acl}) g where g.grantee <> ${owner} group by 1
    ) granted)`;
}
