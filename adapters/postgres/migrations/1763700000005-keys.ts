import type { MigrationInterface, QueryRunner } from 'typeorm';

/** When API keys were used, and the ways into the audit log. */
export class Keys1763700000005 implements MigrationInterface {
  readonly name = 'Keys1763700000005';

  async up(runner: QueryRunner): Promise<void> {
    for (const sql of [USES, AUDIT, GRANTS]) await runner.query(sql);
  }

  async down(): Promise<void> {
    throw new Error('Migrations are not taken back: restore a backup instead.');
  }
}

/** Apart from the keys: submissions hold those rows while they write, and a note of a use must not wait for them. */
const USES = `
create table app.api_key_uses (
  key_prefix text primary key references app.api_keys on delete cascade,
  last_used_at timestamptz(3) not null
) with (fillfactor = 70);
insert into app.api_key_uses select key_prefix, last_used_at from app.api_keys where last_used_at is not null;
alter table app.api_keys drop column last_used_at;
`;

const AUDIT = `
create index on app.audit_log (subject, seq);
create index on app.audit_log (actor, seq);
`;

const GRANTS = `
do $$
declare service text := current_setting('stancebook.service_role');
begin
  execute format('grant select, insert, update, delete on app.api_key_uses to %I', service);
end $$;
`;
