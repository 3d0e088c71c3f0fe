import type pg from 'pg';

export type FingerprintedName = 'SESSION_SECRET' | 'PASSWORD_PEPPER';

/** Which secret rows of the database depend on. */
export interface Fingerprint {
  readonly name: FingerprintedName;
  readonly salt: Buffer;
  readonly fingerprint: Buffer;
  readonly since: Date;
}

/** Until the transaction ends, other processes that note secrets wait. */
export async function lockFingerprints(client: pg.Client): Promise<void> {
  await client.query('select pg_advisory_xact_lock($1)', [LOCK]);
}

/** Any number that no other advisory lock of the database uses. */
const LOCK = 7_382_614_907;

/** The newest of each name: that of the secret in use. */
export async function newestFingerprints(client: pg.Client): Promise<readonly Fingerprint[]> {
  const { rows } = await client.query<Fingerprint>(
    'select distinct on (name) name, salt, fingerprint, since from app.secret_fingerprints order by name, seq desc',
  );
  return rows;
}

export async function addFingerprint(
  client: pg.Client,
  { name, salt, fingerprint }: Omit<Fingerprint, 'since'>,
): Promise<void> {
  await client.query('insert into app.secret_fingerprints (name, salt, fingerprint) values ($1, $2, $3)', [
    ...[name, salt, fingerprint],
  ]);
}

/** What would be lost with a secret. */
export interface Dependents {
  readonly accounts: boolean;
  /** The origin of the newest log, and the key that has signed it; null: there is none. */
  readonly log: string | null;
  readonly key: string | null;
  readonly since: Date | null;
}

export async function dependentsOfSecrets(client: pg.Client): Promise<Dependents> {
  const { rows } = await client.query<Dependents>(
    `select exists (select from app.owners) as accounts, l.origin as log, k.key_id as key, k.since from (select) one
     left join lateral (select log, origin from app.logs order by log desc limit 1) l on true
     left join lateral (select key_id, since from app.log_keys where log = l.log order by since desc limit 1) k on true`,
  );
  return rows[0] ?? { accounts: true, log: null, key: null, since: null };
}
