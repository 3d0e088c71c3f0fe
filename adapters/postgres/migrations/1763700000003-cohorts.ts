import type { MigrationInterface, QueryRunner } from 'typeorm';
import { COHORT_FUNCTIONS } from './cohort-functions.ts';
import { COHORT_INDEXES } from './cohort-indexes.ts';
import { COHORT_TABLES } from './cohort-tables.ts';

/** Public records as cohorts: counted in advance, found in order, as of one moment. */
export class Cohorts1763700000003 implements MigrationInterface {
  readonly name = 'Cohorts1763700000003';

  async up(runner: QueryRunner): Promise<void> {
    for (const sql of [LISTING, COHORT_TABLES, FIRST_TAIL, COHORT_FUNCTIONS, COHORT_INDEXES, GRANTS])
      await runner.query(sql);
  }

  async down(): Promise<void> {
    throw new Error('Migrations are not taken back: restore a backup instead.');
  }
}

const LISTING = `
alter table app.decisions add listed_at timestamptz(3), add listed_xid xid8;
comment on column app.decisions.listed_at is 'When the record was last made public; null while it is not.';
comment on column app.decisions.listed_xid is 'The transaction that made it public.';
update app.decisions set listed_at = evaluated_at, listed_xid = pg_current_xact_id()
where lifecycle_state = 'evaluated';

create function app.note_listing() returns trigger language plpgsql as $$
begin
  new.listed_at := case when new.lifecycle_state = 'evaluated' then app.now() end;
  new.listed_xid := case when new.lifecycle_state = 'evaluated' then pg_current_xact_id() end;
  return new;
end $$;
create trigger note_listing before update on app.decisions for each row
  when (old.lifecycle_state is distinct from new.lifecycle_state
    and 'evaluated' in (old.lifecycle_state, new.lifecycle_state))
  execute function app.note_listing();
create trigger note_first_listing before insert on app.decisions for each row
  when (new.lifecycle_state = 'evaluated') execute function app.note_listing();
`;

const FIRST_TAIL = `
create view app.public_records as
select record_id, owner_id, market, symbol, venue, asset_class, quote_currency, cohort_key, direction, analysis_class,
  horizon_kind, horizon_value, coalesce(perspective_type, '') as perspective_type, result_bucket, submission_origin,
  data_cutoff, evaluated_at
from app.decisions where lifecycle_state = 'evaluated';
comment on view app.public_records is 'What of a record its cohorts know, as the tail holds it.';
insert into app.cohort_tail select * from app.public_records;
`;

const GRANTS = `
do $$
declare service text := current_setting('stancebook.service_role');
begin
  execute format('grant select on app.cohort_rollups, app.public_records to %I', service);
  execute format('grant select, insert, update, delete on app.cohort_cells, app.cohort_tail to %I', service);
end $$;
`;
