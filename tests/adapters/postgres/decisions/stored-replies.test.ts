import { beforeAll, describe, expect, test } from '@jest/globals';
import { DETAIL_WRITER } from '../../../../adapters/http/shapes/decisions/graph.ts';
import { openPostgres, type PostgresStorage } from '../../../../adapters/postgres/storage.ts';
import { checkReplies } from '../../../../application/decisions/read-own-decision.ts';
import type { Ports } from '../../../../application/ports.ts';
import { sha256Hex } from '../../../../application/sha256.ts';
import { NO_JOBS, type OpenedDatabase, onPostgres } from '../../../contracts/decisions/adapters.ts';
import { benchOn } from '../../../contracts/decisions/bench.ts';
import {
  aReadRecord,
  EDITION,
  isStored,
  type ReadRecord,
  read,
  readTwice,
} from '../../../contracts/decisions/stored-replies.ts';

let opened: OpenedDatabase;
const bench = benchOn({
  name: 'postgres',
  async open() {
    opened = await onPostgres(4);
    return opened;
  },
});
/** Starts the log. */
beforeAll(async () => void (await aReadRecord(bench)));
const replies = () => bench.storage().replies;
const query = (text: string, values: readonly unknown[] = []) => opened.owner.query(text, [...values]);

const quarantine = (record_id: string) =>
  query(
    `with entry as (insert into app.audit_log (actor, action, subject) values ('a test', 'quarantine', $1))
    update app.decisions set lifecycle_state = 'quarantined', quarantined_at = app.now(), quarantine_reason = 'a test'
    where record_id = $1`,
    [record_id],
  );

/** One statement each, so that its transaction can be held open. */
const STATEMENTS: Readonly<Record<string, (record: ReadRecord) => Promise<unknown>>> = {
  quarantine: ({ record_id }) => quarantine(record_id),
  'quarantine of a related record': ({ related_id }) => quarantine(related_id),
  archiving: ({ record_id }) =>
    query('update app.decisions set archived_at = app.now() where record_id = $1', [record_id]),
  note: ({ record_id, agent }) =>
    query(
      `insert into app.decision_notes (record_id, number, owner_id, agent_id, text, written_at)
      select $1, 1 + count(*), $2, $3, 'Ignored the CPI date', app.now() from app.decision_notes where record_id = $1`,
      [record_id, agent.owner_id, agent.agent_id],
    ),
  'publication of the workflow': ({ workflow: { hash }, agent }) =>
    query(
      `insert into app.workflow_publications (hash, workflow_id, owner_id, visibility, at)
      values ($1, gen_random_uuid(), $2, 'public', app.now())`,
      [hash, agent.owner_id],
    ),
  'leaf of the log': ({ record_id }) =>
    query(
      `insert into app.log_decisions (log, record_id, index, public_salt, producer)
      select max(l.log), $1, (select max(index) + 1 from app.log_decisions), sha256('a'), sha256('b') from app.logs l`,
      [record_id],
    ),
  'another log': () =>
    query(
      `insert into app.logs (log, origin, key_id) select max(log) + 1, gen_random_uuid()::text, 'a test' from app.logs`,
    ),
  'removal of the owner': ({ agent }) => query('delete from app.owners where owner_id = $1', [agent.owner_id]),
};

describe.each(Object.keys(STATEMENTS))('%s', (name) => {
  const change = (record: ReadRecord) => STATEMENTS[name]?.(record);
  const aRecord = async () => {
    const record = await aReadRecord(bench);
    if (name === 'another log') await STATEMENTS['leaf of the log']?.(record);
    return record;
  };

  test('under way: the record is read as it was, and what is read is not stored', async () => {
    const record = await aRecord();
    await inTransaction(async () => {
      await change(record);
      for (const viewer of record.viewers) {
        await read(bench, record.record_id, viewer);
        expect(await isStored(replies(), record.record_id, viewer)).toBe(false);
      }
    });
    for (const viewer of record.viewers) await readTwice(bench, record.record_id, viewer);
  });

  test('between the read and the storing: what was read is not stored', async () => {
    const record = await aRecord();
    const { record_id, viewers } = record;
    const sources = await Promise.all(viewers.map((viewer) => replies().find(record_id, viewer, EDITION)));
    await change(record);
    for (const source of sources) {
      if (!source || source.reply || !source.basis) throw new Error('The record is not to be stored.');
      await replies().keep(source.basis, 'from before');
    }
    for (const viewer of viewers) await readTwice(bench, record_id, viewer);
  });

  test('takes the stored replies with it, or leaves them when it is undone', async () => {
    const record = await aRecord();
    const { record_id, viewers } = record;
    for (const viewer of viewers) await read(bench, record_id, viewer);
    const stored = () => Promise.all(viewers.map((viewer) => isStored(replies(), record_id, viewer)));
    await query('begin');
    await change(record);
    await query('rollback');
    expect(await stored()).toEqual([true, true, true]);
    await change(record);
    expect(await stored()).toEqual([false, false, false]);
  });
});

describe('planted faults are caught', () => {
  test('a change without its trigger leaves a reply from before', async () => {
    const record = await aReadRecord(bench);
    await read(bench, record.record_id, null);
    await query('alter table app.decisions disable trigger drop_replies');
    await quarantine(record.record_id);
    await query('alter table app.decisions enable always trigger drop_replies');
    await expect(readTwice(bench, record.record_id, null)).rejects.toThrow();
  });

  test('storing without locks and versions stores a reply from before', async () => {
    const record = await aReadRecord(bench);
    const { rows } = await query(`select pg_get_functiondef('app.store_replies'::regproc) as text`);
    await query(`create or replace function app.store_replies(editions text[], record_ids text[], versions text[],
        owner_texts text[], public_texts text[]) returns setof text language sql as $$
      insert into app.reply_texts
      select w.record_id, w.edition, d.owner_id, w.owner_text, w.public_text, app.now()
      from unnest(editions, record_ids, owner_texts, public_texts) w(edition, record_id, owner_text, public_text)
        join app.decisions d using (record_id)
      returning record_id $$`);
    await inTransaction(async () => {
      await quarantine(record.record_id);
      await read(bench, record.record_id, null);
    });
    await query(rows[0].text);
    await expect(readTwice(bench, record.record_id, null)).rejects.toThrow();
  });
});

describe('what is stored', () => {
  let record: ReadRecord;
  beforeAll(async () => {
    record = await aReadRecord(bench);
  });
  const storeAll = async () => {
    for (const viewer of record.viewers) await readTwice(bench, record.record_id, viewer);
  };

  test('shows nothing of the reply', async () => {
    await storeAll();
    const { rows } = await query('select * from app.reply_texts where record_id = $1', [record.record_id]);
    expect(rows).toHaveLength(1);
    const { owner_text, public_text } = rows[0];
    for (const text of [owner_text, public_text]) {
      const bytes = Buffer.from(text, 'base64').toString('latin1');
      for (const clear of ['view', 'statement', record.agent.agent_id, 'COINBASE']) expect(bytes).not.toContain(clear);
    }
  });

  test.each([
    [
      'changed',
      `update app.reply_texts set owner_text = 'A' || substr(owner_text, 2), public_text = 'A' || substr(public_text, 2)`,
    ],
    ['not sealed', `update app.reply_texts set owner_text = '{}', public_text = '{}'`],
    ['shown to everybody', 'update app.reply_texts set public_text = owner_text'],
    [
      'of another record',
      `update app.reply_texts t set owner_text = o.owner_text, public_text = o.public_text
        from app.reply_texts o where o.record_id <> t.record_id and o.owner_text is not null`,
    ],
  ])('is not read once it is %s, and is stored again', async (_, statement) => {
    const other = await aReadRecord(bench);
    for (const viewer of other.viewers) await read(bench, other.record_id, viewer);
    await storeAll();
    await query(statement);
    await storeAll();
    expect(await isStored(replies(), record.record_id, record.agent.owner_id)).toBe(true);
  });

  test('is sent once to a process that holds it, and is read anew by another', async () => {
    await storeAll();
    await query(`update app.reply_texts set owner_text = left(owner_text, 38), public_text = left(public_text, 38)`);
    const storage = await openedWith({});
    for (const viewer of record.viewers) {
      await readTwice(bench, record.record_id, viewer);
      expect(await isStored(replies(), record.record_id, viewer)).toBe(true);
      expect(await isStored(storage.replies, record.record_id, viewer)).toBe(false);
    }
    await storage.close();
    await query('delete from app.reply_texts');
    for (const viewer of record.viewers) expect(await isStored(replies(), record.record_id, viewer)).toBe(false);
  });

  test('is not read by another owner, whatever the row says', async () => {
    await storeAll();
    const other = await bench.agent();
    await query('update app.reply_texts set owner_id = $2 where record_id = $1', [record.record_id, other.owner_id]);
    await readTwice(bench, record.record_id, other.owner_id);
    await query('delete from app.reply_texts');
  });

  test.each([
    ['another edition', {}, 'another'],
    ['another release', { release: 'another' }, EDITION],
    ['another secret', { secret: 'another' }, EDITION],
    ['a service that stores none', { most: 0 }, EDITION],
  ])('is not read by %s', async (_, change, edition) => {
    await storeAll();
    const storage = await openedWith(change);
    try {
      const [viewer = ''] = record.viewers;
      expect(await storage.replies.find(record.record_id, viewer, edition)).toMatchObject({ reply: null });
      expect(await isStored(replies(), record.record_id, viewer)).toBe(true);
    } finally {
      await storage.close();
    }
  });

  test('goes where the bound is passed, the longest unread first', async () => {
    await query('delete from app.reply_texts');
    const records = [await aReadRecord(bench), await aReadRecord(bench), await aReadRecord(bench)];
    for (const { record_id } of records) {
      await read(bench, record_id, null);
      await bench.arrange().advance(3_600_001);
    }
    const [first, second, third] = records.map(({ record_id }) => record_id);
    await read(bench, first ?? '', null);
    await noted(first ?? '');
    const { rows } = await query('select sum(octet_length(public_text))::int as bytes from app.reply_texts');
    const storage = await openedWith({ most: rows[0].bytes - 1 });
    await storage.replies.prune();
    await storage.close();
    const stored = await Promise.all([first, second, third].map((id) => isStored(replies(), id ?? '', null)));
    expect(stored).toEqual([true, false, true]);
    await replies().prune();
    expect(await isStored(replies(), first ?? '', null)).toBe(true);
    const none = await openedWith({ most: 0 });
    await none.replies.prune();
    await none.close();
    expect(await isStored(replies(), first ?? '', null)).toBe(false);
  });

  test('is compared with what would be made now', async () => {
    const settings = { publicLog: true } as Ports['settings'];
    const { replies, decisions } = bench.storage();
    const { record_id, agent } = await aReadRecord(bench);
    const faults = async () => {
      const found: string[] = [];
      await checkReplies({ replies, decisions, settings }, DETAIL_WRITER, (fault) => found.push(fault));
      return found;
    };
    for (const viewer of [agent.owner_id, null]) {
      expect(await faults()).toEqual([]);
      const source = await replies.find(record_id, viewer, DETAIL_WRITER.edition);
      if (!source || source.reply || !source.basis) throw new Error('The record is not to be stored.');
      await replies.keep(source.basis, '{}');
      const reader = viewer === null ? 'others' : 'its owner';
      expect(await faults()).toEqual([`${record_id}: the stored reply for ${reader} is not the one of now`]);
      await query('delete from app.reply_texts');
    }
  });

  test('is counted: found, missed, stored, not stored, and bytes', async () => {
    const storage = await openedWith({ secret: sha256Hex('counted') });
    const { record_id } = await aReadRecord(bench);
    const source = await storage.replies.find(record_id, null, EDITION);
    if (!source || source.reply || !source.basis) throw new Error('The record is not to be stored.');
    await storage.replies.keep(source.basis, '{}');
    await storage.replies.keep({ ...source.basis, version: 'another' }, '{}');
    await storage.replies.find(record_id, null, EDITION);
    expect(storage.replyUse.counts()).toEqual({ found: 1, missed: 1, stored: 1, not_stored: 1 });
    expect(await storage.replyUse.bytes()).toBeGreaterThan(0);
    await storage.close();
  });
});

/** The change of `work` is committed at its end. */
async function inTransaction(work: () => Promise<void>): Promise<void> {
  await query('begin');
  await work();
  await query('commit');
}

function openedWith(change: { most?: number; secret?: string; release?: string }): Promise<PostgresStorage> {
  const own = { most: 2 ** 30, secret: 'of a test', release: 'a test', ...change };
  return openPostgres({ url: opened.serviceUrl, poolSize: 2, openJobs: async () => NO_JOBS, replies: own });
}

/** Reads are noted in the background. */
async function noted(record_id: string): Promise<void> {
  for (let isNoted = false; !isNoted; ) {
    const { rows } = await query(
      `select read_at > app.now() - interval '1 minute' as is_noted from app.reply_texts where record_id = $1`,
      [record_id],
    );
    isNoted = rows[0].is_noted;
  }
}
