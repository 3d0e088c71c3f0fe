-- Decisions about one instrument over several horizons that are submitted as one (docs/records.md). Changes no row.
-- Only nodes of this release write groups; cells count the further horizons apart (app.cell_origin), so no key changes.

alter table app.decisions add column group_id text, add column group_place smallint, add column group_of smallint;
-- Not valid until 0124 has read the table, which keeps no write waiting.
alter table app.decisions add constraint group_members check (num_nulls(group_id, group_place, group_of) in (0, 3)
  and (group_id is null or (group_id ~ '^grp_[0-9a-f]{24}$' and group_of between 2 and 8 and group_place between 1 and group_of))) not valid;
comment on column app.decisions.group_id is 'Of the group that the decision was submitted in; null of most. Shown to its owner alone.';
comment on column app.decisions.group_place is 'Among the horizons of the group, from 1. Cohorts count the others where a query pins their horizon.';
comment on column app.decisions.group_of is 'How many horizons the group has.';

alter table app.credit_ledger add column group_id text;
comment on column app.credit_ledger.group_id is 'Of the group of the record: each has one credit.';

alter type app.submission add attribute group_id text, add attribute group_place smallint, add attribute group_of smallint,
  -- The other members, each with the attributes in which it differs.
  add attribute others jsonb;
