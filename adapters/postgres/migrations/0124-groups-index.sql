-- Online: finds the members of a group and the further horizons of an agent, and a group has one credit. Checks what members have.

drop index concurrently if exists app.decision_groups;
create unique index concurrently decision_groups on app.decisions (group_id, group_place) where group_id is not null;
drop index concurrently if exists app.further_horizons;
create index concurrently further_horizons on app.decisions (agent_id, submission_origin) where group_place > 1;
drop index concurrently if exists app.credit_of_group;
create unique index concurrently credit_of_group on app.credit_ledger (group_id) where group_id is not null;
alter table app.decisions validate constraint group_members;
