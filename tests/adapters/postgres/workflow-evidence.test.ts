import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { someSnapshot } from '../../builders/stored-workflows.ts';
import { type OpenedDatabase, onPostgres } from '../../contracts/decisions/adapters.ts';
import { aPublisher } from '../../contracts/workflows/snapshot-store.ts';

let opened: OpenedDatabase;
let service: pg.Client;
const owner = aPublisher();
const snapshot = someSnapshot({ name: 'Published' });
const other = someSnapshot({ name: 'Never published' });

beforeAll(async () => {
  opened = await onPostgres(2);
  await opened.storage.workflowSnapshots.publish({ ...owner, visibility: 'private' }, snapshot);
  service = new pg.Client({ connectionString: opened.serviceUrl });
  await service.connect();
});
afterAll(async () => {
  await service.end();
  await opened.close();
});

const hash = `'${snapshot.hash}'`;
const REFUSED = '42501';

/** Whatever could change what is published, or for whom, in one statement or several. */
const ATTEMPTS: readonly string[] = [
  `update app.workflow_snapshots set content = content || ' '`,
  `update app.workflow_snapshots set name_folded = 'other' where hash = ${hash}`,
  `update app.workflow_snapshots set hash = md5(hash)`,
  `update app.workflow_publications set visibility = 'public'`,
  `update app.workflow_publications set owner_id = gen_random_uuid()`,
  `update app.workflow_publications set at = app.now()`,
  'delete from app.workflow_snapshots',
  `delete from app.workflow_publications where hash = ${hash}`,
  'truncate app.workflow_snapshots, app.workflow_publications',
  'truncate app.workflow_snapshots cascade',
  `insert into app.workflow_snapshots (hash, content, name_folded) values (${hash}, '${snapshot.content}', '')
     on conflict (hash) do update set content = excluded.content`,
  `merge into app.workflow_snapshots s using (select 1) x on s.hash = ${hash} when matched then delete`,
  `merge into app.workflow_publications p using (select 1) x on p.hash = ${hash}
     when matched then update set visibility = 'public'`,
  `with gone as (delete from app.workflow_publications returning 1) select count(*) from gone`,
  'select hash from app.workflow_snapshots for update',
  'select hash from app.workflow_publications for no key update',
  'do $$ begin lock table app.workflow_snapshots in access exclusive mode; end $$',
  'alter table app.workflow_snapshots disable trigger all',
  'alter table app.workflow_publications disable trigger evidence',
  'alter table app.workflow_snapshots drop constraint workflow_snapshots_hash_check',
  `alter table app.workflow_snapshots alter column content type text using 'other'`,
  'alter table app.workflow_snapshots rename to workflow_snapshots_old',
  'alter table app.workflow_publications drop column visibility',
  'alter table app.workflow_snapshots owner to current_user',
  'alter table app.workflow_publications enable row level security',
  'drop trigger evidence on app.workflow_snapshots',
  'drop trigger evidence_whole on app.workflow_publications',
  'drop table app.workflow_publications',
  'drop schema app cascade',
  'create table app.workflow_snapshots_new (hash text)',
  `create trigger mine before insert on app.workflow_snapshots for each row execute function app.refuse_change()`,
  `create rule mine as on select to app.workflow_snapshots do instead select 1`,
  `create or replace function app.refuse_change() returns trigger language plpgsql as 'begin return new; end'`,
  'drop function app.refuse_change() cascade',
  `alter function app.refuse_change() rename to nothing`,
  'set session_replication_role = replica',
  `copy app.workflow_snapshots from program 'true'`,
  `copy app.workflow_publications from '/dev/null'`,
  `update pg_catalog.pg_class set relhastriggers = false where relname = 'workflow_snapshots'`,
  `delete from pg_catalog.pg_trigger where tgname = 'evidence'`,
];

/** Refused by the owner of the tables too, who could only ever replace the guards themselves. */
const OF_ROWS = ATTEMPTS.filter((attempt) => /^(update app|delete|truncate|merge|with|insert)/.test(attempt));

describe('the role of the service cannot', () => {
  test.each(ATTEMPTS)('%s', (attempt) => staysAfter(service, attempt));
});

describe('nor can the owner of the tables', () => {
  test.each(OF_ROWS.filter((attempt) => !attempt.startsWith('delete from pg_catalog')))('%s', (attempt) =>
    staysAfter(opened.owner, attempt),
  );
});

test('the role of the service may add and read, and nothing else, and cannot give itself more', async () => {
  const granted = async () =>
    (
      await service.query<{ privilege: string }>(
        `select privilege from unnest(array['workflow_snapshots', 'workflow_publications']) as t,
          unnest(array['select', 'insert', 'update', 'delete', 'truncate', 'references', 'trigger']) as privilege
        where has_table_privilege(current_user, 'app.' || t, privilege)`,
      )
    ).rows.map(({ privilege }) => privilege);
  const expected = ['select', 'insert', 'select', 'insert'];
  expect(await granted()).toEqual(expected);
  // The server only warns that nothing was granted.
  await service.query('grant all on app.workflow_snapshots, app.workflow_publications to current_user');
  expect(await granted()).toEqual(expected);
});

describe('a published snapshot is what its hash says', () => {
  const ADD = 'insert into app.workflow_snapshots (hash, content, name_folded) values ($1, $2, $3)';
  const add = (given: string, content: string) => service.query(ADD, [given, content, '']);

  test('a content under the hash of another is refused', async () => {
    for (const given of [
      other.hash.toUpperCase(),
      ` ${other.hash}`,
      other.hash.replace(/.$/, 'x'),
      '',
      snapshot.hash,
    ]) {
      await expect(add(given, other.content)).rejects.toMatchObject({ code: expect.stringMatching(/^23(514|505)$/) });
    }
  });

  test('a second content under a published hash is refused', async () => {
    await expect(add(snapshot.hash, `${snapshot.content} `)).rejects.toMatchObject({ code: '23514' });
    await expect(add(snapshot.hash, snapshot.content)).rejects.toMatchObject({ code: '23505' });
  });

  test('lists show what the content says: its columns accept no other value', async () => {
    for (const column of ['name', 'description', 'tags', 'node_count']) {
      const lie = `insert into app.workflow_snapshots (hash, content, name_folded, ${column}) values ($1, $2, '', $3)`;
      const value = column === 'node_count' ? 7 : '"lie"';
      await expect(service.query(lie, [other.hash, other.content, value])).rejects.toMatchObject({ code: '428C9' });
    }
  });

  test('what is no workflow is refused', async () => {
    for (const content of ['', 'null', '{}', '[]', '"text"', '{"name":"x"}', other.content.slice(0, -1)]) {
      await expect(add(createHash('sha256').update(content).digest('hex'), content)).rejects.toThrow();
    }
  });

  test('a publication of unknown content, without a valid visibility, or under a taken number is refused', async () => {
    const publish = (given: string, visibility: string | null) =>
      service.query(
        `insert into app.workflow_publications (hash, workflow_id, owner_id, visibility, at)
          values ($1, $2, $3, $4, app.now())`,
        [given, owner.id, owner.owner_id, visibility],
      );
    await expect(publish(other.hash, 'public')).rejects.toMatchObject({ code: '23503' });
    await expect(publish(snapshot.hash, 'everybody')).rejects.toMatchObject({ code: '23514' });
    await expect(publish(snapshot.hash, null)).rejects.toMatchObject({ code: '23502' });
    await expect(
      service.query(`insert into app.workflow_publications overriding system value
        select * from app.workflow_publications`),
    ).rejects.toMatchObject({ code: '23505' });
  });
});

test('the checks would notice: without its guards the content is changed', async () => {
  await opened.owner.query('begin');
  await opened.owner.query('alter table app.workflow_publications disable trigger evidence');
  const before = await rows();
  await opened.owner.query(`update app.workflow_publications set visibility = 'public'`);
  expect(await rows()).not.toEqual(before);
  await opened.owner.query('rollback');
  expect(await rows()).toEqual(before);
});

async function staysAfter(client: pg.Client, attempt: string): Promise<void> {
  const before = await rows();
  expect(before.flat()).toHaveLength(2);
  await expect(client.query(attempt)).rejects.toMatchObject({ code: REFUSED });
  expect(await rows()).toEqual(before);
  expect(await opened.storage.workflowSnapshots.find(snapshot.hash, null)).toBeNull();
  expect(await opened.storage.workflowSnapshots.find(snapshot.hash, owner.owner_id)).toMatchObject(snapshot);
}

async function rows(): Promise<readonly (readonly object[])[]> {
  const rowsOf = async (table: string) =>
    (await opened.owner.query<{ row: object }>(`select to_jsonb(t) as row from app.${table} t order by 1`)).rows;
  return [await rowsOf('workflow_snapshots'), await rowsOf('workflow_publications')];
}
