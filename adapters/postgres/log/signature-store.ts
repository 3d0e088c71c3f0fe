import type { NoteSignature } from '../../../domain/log/notes/note.ts';
import type { SignatureStore, StoredKey, WitnessReport } from '../../../domain/log/notes/signature-store.ts';
import type { Sql } from '../kit/sql.ts';

/** SQL by hand: the first row of a key stays, and a report of a smaller size replaces none. */
export function postgresSignatures(sql: Sql): SignatureStore {
  return {
    keys: (log) => sql.rows<StoredKey>(KEYS, [log]),
    addKey: async (log, { key_id, public_key }) => void (await sql.rows(ADD_KEY, [log, key_id, public_key])),
    signatures: (log, size) => sql.rows<NoteSignature>(SIGNATURES, [log, size]),
    addSignature: async (log, size, { name, id, signature }) =>
      void (await sql.rows(ADD_SIGNATURE, [log, size, name, id, signature])),
    reports: (log) => sql.rows<WitnessReport>(REPORTS, [log]),
    report: async (log, { name, id, size, signature, cosigned_at, refused }) =>
      void (await sql.rows(REPORT, [log, name, id, size, signature, cosigned_at, refused])),
    meetQuorum: async (log, size) => void (await sql.rows(MEET_QUORUM, [log, size])),
  };
}

const KEYS = 'select key_id, public_key, since from app.log_keys where log = $1 order by since, key_id';

const ADD_KEY = `
  insert into app.log_keys (log, key_id, public_key) values ($1, $2, $3) on conflict (log, key_id) do nothing`;

const SIGNATURES = `
  select name, key_id as id, signature from app.log_signatures where log = $1 and size = $2 order by at, name, key_id`;

const ADD_SIGNATURE = `
  insert into app.log_signatures (log, size, name, key_id, signature) values ($1, $2, $3, $4, $5)
  on conflict (log, size, name, key_id) do nothing`;

const REPORTS = `
  select name, key_id as id, size::float8 as size, signature, cosigned_at, refused
  from app.log_witnesses where log = $1 order by name, key_id`;

const REPORT = `
  insert into app.log_witnesses as w (log, name, key_id, size, signature, cosigned_at, refused)
  values ($1, $2, $3, $4, $5, $6, $7)
  on conflict (log, name, key_id) do update set size = excluded.size, signature = excluded.signature,
    cosigned_at = excluded.cosigned_at, refused = excluded.refused
  where w.size <= excluded.size`;

const MEET_QUORUM = `
  update app.log_checkpoints c set witnessed_at = app.now()
  where c.log = $1 and c.size = $2 and c.witnessed_at is null and not exists (
    select from app.log_checkpoints l where l.log = $1 and l.size > $2 and l.witnessed_at is not null)`;
