import type pg from 'pg';

/**
 * Adds copies of the decisions that the database has, each by another agent, under an id, a salt and seals of its own, so
 * that there are `records` in all: their rows are those that the service would have written. The server makes them by
 * `insert ... select`, which needs no copy of the bytes in a client. Triggers do not fire; counts are rebuilt afterwards.
 * @param agents as many as are to have decisions; a template is copied at most once for each
 */
export async function addCopies(client: pg.Client, records: number, agents: readonly string[]): Promise<void> {
  await client.query(`set synchronous_commit = off`);
  await client.query(TEMPLATES);
  const { rows } = await client.query<{ templates: number }>('select count(*)::int as templates from bench.templates');
  const templates = rows[0]?.templates ?? 0;
  const copies = records - templates;
  if (copies > templates * agents.length) throw new Error(`${templates} templates are too few for ${records} records.`);
  await client.query(AGENTS, [agents]);
  await withoutHooks(client, async () => {
    for (let from = 0; from < copies; from += TOGETHER) {
      await client.query('begin');
      await client.query('truncate bench.copies');
      await client.query(COPIES, [from, Math.min(copies, from + TOGETHER) - 1]);
      for (const [table, columns] of Object.entries(TABLES)) await copyRows(client, table, columns);
      await client.query('commit');
    }
  });
}

const TOGETHER = 50_000;

const TEMPLATES = `
  create schema if not exists bench;
  create table bench.templates as
    select row_number() over (order by record_id) - 1 as place, record_id from app.decisions;
  create table bench.agents (place bigint primary key, agent_id text not null, owner_id uuid not null);
  create unlogged table bench.copies (template_id text not null, record_id text not null, agent_id text not null,
    owner_id uuid not null, salt bytea not null);
  analyze bench.templates`;

const AGENTS = `
  insert into bench.agents
  select n - 1, agent_id, owner_id from unnest($1::text[]) with ordinality as a(agent_id, n) join app.agents using (agent_id)`;

/** The factor is odd, so that no two suffixes are the same. */
const COPIES = `
  with counts as (
    select (select count(*) from bench.templates) as templates, (select count(*) from bench.agents) as agents
  ), numbered as (
    select t.record_id as template_id,
      left(t.record_id, 13) || lpad(to_hex((n + 1) * 2654435761 % 4294967296), 8, '0') as record_id,
      (n / c.templates + t.place * 7) % c.agents as agent
    from counts c, generate_series($1::bigint, $2::bigint) n join bench.templates t on t.place = n % (select templates from counts)
  )
  insert into bench.copies
  select template_id, record_id, agent_id, owner_id, sha256(convert_to(record_id, 'UTF8'))
  from numbered n join bench.agents a on a.place = n.agent`;

const STATEMENT = 'replace(t.statement, t.record_id, c.record_id)';
const COMMITMENT = `encode(sha256(c.salt || convert_to(${STATEMENT}, 'UTF8')), 'hex')`;
const DOCUMENT = 'replace(t.document, t.record_id, c.record_id)';

/** What a copy has of its own in each table. */
const TABLES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  decisions: { record_id: 'c.record_id', owner_id: 'c.owner_id', agent_id: 'c.agent_id', number: 'null' },
  decision_documents: {
    record_id: 'c.record_id',
    statement: STATEMENT,
    salt: 'c.salt',
    commitment: COMMITMENT,
    receipt: `t.receipt || jsonb_build_object('record_id', c.record_id, 'commitment', ${COMMITMENT})`,
    received: `t.received || jsonb_build_object('owner_id', c.owner_id, 'agent_id', c.agent_id)`,
  },
  decision_outcomes: { record_id: 'c.record_id' },
  outcome_evidence: {
    record_id: 'c.record_id',
    digest: `encode(sha256(convert_to(${DOCUMENT}, 'UTF8')), 'hex')`,
    document: DOCUMENT,
  },
  credit_ledger: { record_id: 'c.record_id', owner_id: 'c.owner_id' },
};

async function copyRows(client: pg.Client, table: string, own: Readonly<Record<string, string>>): Promise<void> {
  const { rows } = await client.query<{ name: string }>(COLUMNS, [`app.${table}`]);
  const values = rows.map(({ name }) => own[name] ?? `t.${name}`);
  await client.query(`
    insert into app.${table} (${rows.map(({ name }) => name).join(', ')})
    select ${values.join(', ')} from bench.copies c join app.${table} t on t.record_id = c.template_id`);
}

const COLUMNS = `
  select attname as name from pg_attribute
  where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = '' order by attnum`;

/** Without triggers, and without indexes of decisions that the copies would fill in random order. */
async function withoutHooks(client: pg.Client, work: () => Promise<void>): Promise<void> {
  const tables = Object.keys(TABLES);
  const { rows: indexes } = await client.query<{ name: string; definition: string }>(INDEXES);
  const { rows: always } = await client.query<{ table: string; name: string }>(ALWAYS, [tables]);
  for (const { name } of indexes) await client.query(`drop index ${name}`);
  for (const table of tables) await client.query(`alter table app.${table} disable trigger user`);
  await work();
  for (const table of tables) await client.query(`alter table app.${table} enable trigger user`);
  // `enable trigger user` alone would forget which of them fire always.
  for (const { table, name } of always) await client.query(`alter table app.${table} enable always trigger ${name}`);
  await client.query(`set maintenance_work_mem = '1GB'`);
  for (const { definition } of indexes) await client.query(definition);
}

const INDEXES = `
  select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition
  from pg_index where indrelid = 'app.decisions'::regclass and not indisunique`;

const ALWAYS = `
  select relname as table, tgname as name from pg_trigger join pg_class c on c.oid = tgrelid
  where relnamespace = 'app'::regnamespace and relname = any($1) and tgenabled = 'A'`;
