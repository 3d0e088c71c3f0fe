import { createCipheriv, createDecipheriv, type KeyObject, randomBytes } from 'node:crypto';
import { derivedKey, type SecretValues } from '../../../application/sealed-secret.ts';
import {
  type ReplyBasis,
  type ReplyForm,
  type StoredReplies,
  storedForm,
} from '../../../domain/decisions/views/decision-reader.ts';
import { batcher } from '../kit/batcher.ts';
import { heldValues } from '../kit/held-values.ts';
import type { Sql } from '../kit/sql.ts';
import { versionReader } from './decision-reader.ts';

const ALGORITHM = 'aes-256-gcm';

const NONCE = 12;

const TAG = 16;

/** Characters of a sealed text that contain its nonce and tag: they differ in any two, as `owner_seal` and `public_seal` have them. */
const SEAL_LENGTH = Math.ceil(((NONCE + TAG) * 4) / 3);

export interface ReplyOptions {
  /** Bytes of the stored texts after `prune`; 0: none is stored. */
  readonly most: number;
  /** The key that seals the texts is derived from it. */
  /** Its newest value seals; a text that a former one sealed is made again, as after an eviction. */
  readonly secret: SecretValues;
  /** The version of the service: another one computes replies anew. */
  readonly release: string;
}

/** What this process did with replies that may be stored, since its start. */
export interface ReplyCounts {
  readonly found: number;
  readonly missed: number;
  readonly stored: number;
  /** What they were made from was changed at that moment, or storing failed. */
  readonly not_stored: number;
}

export interface ReplyUse {
  counts(): ReplyCounts;
  /** Bytes that the stored replies take on disk. */
  bytes(): Promise<number>;
}

/**
 * SQL by hand: batches, on the path of reads. See functions/reply-texts.sql.
 * @param shared where records are read for no viewer: a replica has no stored texts
 */
export function postgresReplies(
  sql: Sql,
  shared: Sql,
  { most, secret, release }: ReplyOptions = NONE,
): {
  readonly store: StoredReplies;
  readonly use: ReplyUse;
} {
  const counts = { found: 0, missed: 0, stored: 0, not_stored: 0 };
  const [own, others] = [versionReader(sql), versionReader(shared)];
  const [readText, storeText, noteRead] = [textReader(sql), textWriter(sql), readNotes(sql)];
  const isKept = (viewer: string | null) => most > 0 && (viewer !== null || shared === sql);
  const keyOf = (edition: string) => derivedKey(secret, `stored replies ${edition}`);
  const opened = heldValues<OpenedReply>(Math.min(most, OPENED_AT_MOST), ({ reply }) => reply.length);

  async function stored(record_id: string, viewer: string | null, edition: string): Promise<OpenedReply | null> {
    const held = (viewer === null ? null : opened.find(`${record_id} ${viewer}`)) ?? opened.find(record_id);
    const row = await readText({ record_id, viewer, edition, held: held?.seal ?? null });
    const reader = row?.is_own ? viewer : null;
    const found = row?.is_held ? held : row?.text ? opens(row.text, [record_id, reader], edition) : null;
    if (!found) return null;
    if (found !== held) opened.keep(reader === null ? record_id : `${record_id} ${reader}`, found);
    if (row?.is_unnoted) noteRead(record_id);
    return found;
  }

  function opens(text: string, about: readonly [string, string | null], edition: string): OpenedReply | null {
    const reply = openText(keyOf(edition), about, text);
    const form: ReplyForm = about[1] === null ? 'public' : 'owner';
    return reply && { reply, form, seal: text.slice(0, SEAL_LENGTH) };
  }

  const store: StoredReplies = {
    async find(record_id, viewer, form_edition) {
      const edition = `${release} ${form_edition}`;
      const found = isKept(viewer) ? await stored(record_id, viewer, edition) : null;
      if (found) counts.found += 1;
      if (found) return { reply: found.reply, form: found.form };
      const read = await (viewer === null ? others : own)(record_id, viewer);
      const form = read && isKept(viewer) ? storedForm(read.decision, viewer) : null;
      if (form) counts.missed += 1;
      const { decision, version = '' } = read ?? {};
      const reader = form === 'owner' ? viewer : null;
      return decision ? { reply: null, decision, basis: form && { record_id, edition, form, reader, version } } : null;
    },

    async keep(basis, text) {
      const sealed = sealText(keyOf(basis.edition), [basis.record_id, basis.reader], text);
      const isStored = await storeText({ ...basis, sealed }).catch(() => false);
      counts[isStored ? 'stored' : 'not_stored'] += 1;
    },

    async recordsAfter(after, limit) {
      return (await sql.rows<{ record_id: string }>(RECORDS_AFTER, [after, limit])).map(({ record_id }) => record_id);
    },

    prune: async () => void (await sql.rows(PRUNE, [most, Math.floor(most * PRUNED_TO)])),
  };
  const bytes = async () => (await sql.rows<{ bytes: number }>(BYTES))[0]?.bytes ?? 0;
  return { store, use: { counts: () => ({ ...counts }), bytes } };
}

/** A stored reply that this process has opened. */
interface OpenedReply {
  readonly reply: Uint8Array;
  readonly form: ReplyForm;
  /** Identifies the sealed text. */
  readonly seal: string;
}

/** Bytes of opened replies that a process holds. */
const OPENED_AT_MOST = 64 * 1024 * 1024;

const NONE: ReplyOptions = { most: 0, secret: '', release: '' };

interface Wanted {
  readonly record_id: string;
  readonly viewer: string | null;
  readonly edition: string;
  /** The seal of an opened reply, whose text is not sent again. */
  readonly held: string | null;
}

interface TextRow {
  readonly position: number;
  /** null: it is held, or the form is not stored. */
  readonly text: string | null;
  readonly is_held: boolean;
  readonly is_own: boolean;
  readonly is_unnoted: boolean;
}

function textReader(sql: Sql) {
  return batcher<Wanted, TextRow | null>({
    async run(wanted) {
      const columns = [
        wanted.map(({ record_id }) => record_id),
        wanted.map(({ viewer }) => viewer),
        wanted.map(({ edition }) => edition),
        wanted.map(({ held }) => held),
      ];
      const found = new Array<TextRow | null>(wanted.length).fill(null);
      for (const row of await sql.rows<TextRow>(READ, columns, 'read-replies')) found[row.position - 1] = row;
      return found;
    },
    most: 64,
    atOnce: 1,
  });
}

interface SealedReply extends ReplyBasis {
  readonly sealed: string;
}

/** Members of a batch are stored or not independently; of one record's two forms one waits for its next read. */
function textWriter(sql: Sql) {
  return batcher<SealedReply, boolean>({
    async run(replies) {
      const rows = [...new Map(replies.map((reply) => [`${reply.record_id} ${reply.edition}`, reply])).values()];
      const textOf = (form: ReplyForm) => rows.map((row) => (row.form === form ? row.sealed : null));
      const stored = await sql.rows<{ record_id: string }>(
        STORE,
        [
          rows.map(({ edition }) => edition),
          rows.map(({ record_id }) => record_id),
          rows.map(({ version }) => version),
          textOf('owner'),
          textOf('public'),
        ],
        'store-replies',
      );
      const ids = new Set(stored.map(({ record_id }) => record_id));
      return replies.map((reply) => rows.includes(reply) && ids.has(reply.record_id));
    },
    most: 32,
    atOnce: 1,
  });
}

/** Notes reads without making the reader wait; a note that is lost is made at the next read. */
function readNotes(sql: Sql): (record_id: string) => void {
  const note = batcher<string, undefined>({
    async run(ids) {
      await sql.rows(NOTE, [ids], 'note-reads');
      return ids.map(() => undefined);
    },
    most: 1_000,
    atOnce: 1,
  });
  return (record_id) => void note(record_id).catch(() => undefined);
}

/** Freeing a tenth more than it must, it has nothing to do for a while. */
const PRUNED_TO = 0.9;

const READ = `
  select w.position, own.is_own, coalesce(own.seal = own.held, false) as is_held,
    case when own.seal is distinct from own.held then own.text end as text,
    t.read_at < app.now() - interval '1 hour' as is_unnoted
  from app.wanted_records(record_ids => $1::text[], viewers => $2::uuid[]) w
  join app.reply_texts t on t.record_id = w.record_id and t.edition = ($3::text[])[w.position]
  cross join lateral (select coalesce(t.owner_id = w.viewer, false) as is_own, ($4::text[])[w.position] as held,
    case when t.owner_id = w.viewer then t.owner_seal else t.public_seal end as seal,
    case when t.owner_id = w.viewer then t.owner_text else t.public_text end as text) own`;

const STORE = `
  select app.store_replies(editions => $1, record_ids => $2, versions => $3, owner_texts => $4, public_texts => $5)
    as record_id`;

/** What is being changed or removed needs no note. */
const NOTE = `
  update app.reply_texts t set read_at = app.now()
  from (select record_id, edition from app.reply_texts where record_id = any($1) for update skip locked) l
  where t.record_id = l.record_id and t.edition = l.edition`;

const RECORDS_AFTER = `
  select distinct record_id from app.reply_texts where $1::text is null or record_id > $1 order by record_id limit $2`;

const BYTES = `select pg_total_relation_size('app.reply_texts')::float8 as bytes`;

const SIZE = 'coalesce(octet_length(owner_text), 0) + coalesce(octet_length(public_text), 0)';

/** The length of a text that is stored outside of its row is known without reading it. */
const PRUNE = `
  with sized as (
    select record_id, edition, sum(${SIZE}) over (order by read_at desc, record_id, edition) as newer
    from app.reply_texts where (select coalesce(sum(${SIZE}), 0) from app.reply_texts) > $1::bigint
  ), gone as (
    select t.record_id, t.edition from app.reply_texts t join sized s using (record_id, edition)
    where s.newer > $2::bigint for update of t skip locked
  )
  delete from app.reply_texts t using gone g where t.record_id = g.record_id and t.edition = g.edition`;

/** What a text is about, which has to be the same when it is opened. */
type About = readonly (string | null)[];

/** AES-256-GCM, in base64: the database sends bytes in hex, which takes longer to read. */
function sealText(key: KeyObject, about: About, text: string): string {
  const nonce = randomBytes(NONCE);
  const cipher = createCipheriv(ALGORITHM, key, nonce).setAAD(Buffer.from(JSON.stringify(about)));
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64');
}

/** The UTF-8 bytes of the text; null for one that was sealed by another key, is about something else, or was changed. */
function openText(key: KeyObject, about: About, sealed: string): Uint8Array | null {
  const bytes = Buffer.from(sealed, 'base64');
  try {
    const opening = createDecipheriv(ALGORITHM, key, bytes.subarray(0, NONCE), { authTagLength: TAG });
    opening.setAAD(Buffer.from(JSON.stringify(about))).setAuthTag(bytes.subarray(NONCE, NONCE + TAG));
    const text = opening.update(bytes.subarray(NONCE + TAG));
    opening.final();
    return text;
  } catch {
    return null;
  }
}
