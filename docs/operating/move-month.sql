-- Moves one month of app.decision_documents to a cheap disk while the service runs (docs/scaling.md).
-- Replace 202612 by a month of which nothing is to be graded any more, and 202701 by the one after it. The tables
-- decision_outcomes and outcome_evidence move the same way, without the index of confidence. For the first partition
-- leave out the lower bound, and write "from (minvalue)". End with: npm run admin -- check-evidence

-- As a superuser, once:
create tablespace cold location '/mnt/cold/postgresql';
grant create on tablespace cold to stancebook_owner;

-- As the owner of the schema:
select count(*) from app.decisions
  where record_id >= 'dec_20261201' and record_id < 'dec_20270101' and due_at is not null;  -- must be 0

set default_tablespace = cold;
create table app.moved (like app.decision_documents_202612 including all,
  constraint in_month check (record_id >= 'dec_20261201' and record_id < 'dec_20270101'));
alter table app.moved add constraint decision_documents_record_id_fkey
  foreign key (record_id) references app.decisions not valid;
insert into app.moved table app.decision_documents_202612;
alter table app.moved validate constraint decision_documents_record_id_fkey;
analyze app.moved;
reset default_tablespace;
select count(*) from (table app.decision_documents_202612 except table app.moved) missing;  -- must be 0

begin;
set local lock_timeout = '1s';  -- where it is exceeded: rollback, and try again
lock table app.decisions in access exclusive mode;
alter table app.decision_documents detach partition app.decision_documents_202612;
alter table app.decision_documents attach partition app.moved for values from ('dec_20261201') to ('dec_20270101');
drop table app.decision_documents_202612;
alter table app.moved drop constraint in_month;
alter table app.moved rename to decision_documents_202612;
alter index app.moved_pkey rename to decision_documents_202612_pkey;
alter index app.moved_record_id_confidence_idx rename to decision_documents_202612_record_id_confidence_idx;
call app.guard_partition('app.decision_documents_202612');
commit;
