import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import type pg from 'pg';
import {
  addFingerprint,
  dependentsOfSecrets,
  type Fingerprint,
  type FingerprintedName,
  lockFingerprints,
  newestFingerprints,
} from '../../adapters/postgres/secret-fingerprints.ts';
import { rfc3339 } from '../../domain/time.ts';
import type { Config } from '../config/config.ts';
import { secretFile, storeSecret } from '../config/stored-secrets.ts';
import { operatorName } from '../operator-name.ts';
import { StartRefused } from '../start-refused.ts';

/** A secret that rows of the database depend on. */
export interface UsedSecret {
  readonly name: FingerprintedName;
  /** Of its file in `DATA_DIR/secrets`, unless the environment has it. */
  readonly file: string;
  readonly value: string;
  readonly former: readonly string[];
}

export function usedSecrets({ secrets }: Pick<Config, 'secrets'>): readonly UsedSecret[] {
  const { session, formerSessions, pepper, formerPeppers } = secrets;
  return [
    { name: 'SESSION_SECRET', file: 'session-secret', value: session, former: formerSessions },
    { name: 'PASSWORD_PEPPER', file: 'password-pepper', value: pepper, former: formerPeppers },
  ];
}

/**
 * Refuses secrets other than those that the database was used with, and notes new ones: those of the first start, and
 * those that were renewed, which name the noted one as a former value. Secrets that were made for this start are stored
 * where no data depend on a lost one. Processes that start at once wait for one another. After an error a transaction is
 * open on the connection.
 * @param meanwhile called while the secrets are hashed, which takes other threads some 100 ms
 * @throws StartRefused
 */
export async function noteSecrets(
  client: pg.Client,
  config: Config,
  meanwhile: () => unknown = () => undefined,
): Promise<void> {
  await client.query('begin');
  await lockFingerprints(client);
  const noted = await newestFingerprints(client);
  const lost = await lostFaults(client, noted, config);
  const others = otherFaults(noted, config);
  meanwhile();
  const faults = [...lost, ...(await others)];
  if (faults.length > 0) throw new StartRefused(faults.join('\n'));
  for (const secret of usedSecrets(config)) {
    const before = noted.find((each) => each.name === secret.name);
    // Without former values `otherFaults` has just found the noted one: hashing it again would cost each start 40 ms.
    if (before && (secret.former.length === 0 || (await matches(before, secret.value)))) continue;
    await note(client, secret, before ? 'secret_renewed' : null);
  }
  // Before the commit: a note without its file would look like a loss.
  for (const unstored of config.secrets.unstored) storeSecret(config.dataDir, unstored);
  await client.query('commit');
}

/** The same for a process that only uses the database of a service: it notes nothing. @throws StartRefused */
export async function requireNoted(client: pg.Client, config: Config): Promise<void> {
  const noted = await newestFingerprints(client);
  const faults = [...(await lostFaults(client, noted, config)), ...(await otherFaults(noted, config))];
  if (faults.length > 0) throw new StartRefused(faults.join('\n'));
}

/** The names whose noted secret is another one, and not one of its former values. */
export async function otherSecrets(client: pg.Client, config: Config): Promise<readonly FingerprintedName[]> {
  const noted = await newestFingerprints(client);
  return (await othersAmong(usedSecrets(config), noted)).map(({ name }) => name);
}

/** Notes a secret in the place of one that is lost, with an entry of the audit log. */
export async function replaceNotedSecret(client: pg.Client, secret: UsedSecret): Promise<void> {
  await client.query('begin');
  await lockFingerprints(client);
  await note(client, secret, 'secret_lost');
  await client.query('commit');
}

async function note(client: pg.Client, { name, value }: UsedSecret, action: string | null): Promise<void> {
  const salt = randomBytes(16);
  const fingerprint = await fingerprintOf(name, value, salt);
  await addFingerprint(client, { name, salt, fingerprint });
  if (action === null) return;
  const entry = [operatorName(), action, name, { fingerprint: shown(fingerprint) }];
  await client.query('insert into app.audit_log (actor, action, subject, detail) values ($1, $2, $3, $4)', entry);
}

/** As operators see a fingerprint. */
export function shown(fingerprint: Uint8Array): string {
  return Buffer.from(fingerprint).toString('hex').slice(0, 8);
}

/** A secret of few guesses is as hard to find by it as a password by its hash: some 30 ms a guess. */
function fingerprintOf(name: string, value: string, salt: Buffer): Promise<Buffer> {
  return derived(`${name}\n${value}`, salt, 16, { N: 2 ** 14, r: 8, p: 1 });
}

const derived: (text: string, salt: Buffer, bytes: number, cost: ScryptOptions) => Promise<Buffer> = promisify(scrypt);

async function matches({ name, salt, fingerprint }: Fingerprint, value: string): Promise<boolean> {
  return timingSafeEqual(await fingerprintOf(name, value, salt), fingerprint);
}

/** The secrets whose noted one is another, and not one of their former values; they are hashed at once. */
async function othersAmong(
  secrets: readonly UsedSecret[],
  noted: readonly Fingerprint[],
): Promise<readonly UsedSecret[]> {
  const judged = await Promise.all(secrets.map(async (secret) => ((await isOther(noted, secret)) ? [secret] : [])));
  return judged.flat();
}

async function isOther(noted: readonly Fingerprint[], { name, value, former }: UsedSecret): Promise<boolean> {
  const before = noted.find((each) => each.name === name);
  if (before === undefined) return false;
  for (const each of [value, ...former]) if (await matches(before, each)) return false;
  return true;
}

/** Files that are missing, though rows depend on what they had. */
async function lostFaults(
  client: pg.Client,
  noted: readonly Fingerprint[],
  { secrets, dataDir }: Config,
): Promise<readonly string[]> {
  if (secrets.unstored.length === 0) return [];
  const { accounts, log, key, since } = await dependentsOfSecrets(client);
  return secrets.unstored.flatMap(({ name }) => {
    const file = secretFile(dataDir, name);
    if (name === 'log-key') return log === null ? [] : [lostKey({ file, log, key, since })];
    const variable = usedSecrets({ secrets }).find((each) => each.file === name)?.name ?? name;
    const before = noted.find((each) => each.name === variable);
    return before || accounts ? [lost({ file, name, variable, since: before?.since ?? null })] : [];
  });
}

function lost({ file, name, variable, since }: Record<'file' | 'name' | 'variable', string> & { since: Date | null }) {
  return (
    `${file} is missing, and the database depends on it. Copy it from a backup of that folder` +
    `${since === null ? '' : ` of ${day(since)} or later`}, or set ${variable} if the secret was there. ` +
    `Where it is lost, npm run admin -- renew-secret ${name} --lost makes another one: ${LOSSES[name] ?? ''}`
  );
}

const LOSSES: Readonly<Record<string, string>> = {
  'session-secret': 'authenticator apps and webhooks then need new secrets.',
  'password-pepper': 'all passwords then need a reset.',
};

interface LostKey {
  readonly file: string;
  readonly log: string;
  readonly key: string | null;
  readonly since: Date | null;
}

function lostKey({ file, log, key, since }: LostKey): string {
  const signs = key === null ? '' : ` with the key ${key}`;
  return (
    `${file} is missing, and ${log} is signed${signs}. Copy it from a backup of that folder` +
    `${since === null ? '' : ` of ${day(since)} or later`}, or set LOG_KEY_FILE if the key is elsewhere. ` +
    'Where it is lost, run npm run admin -- renew-secret log-key --lost, then log-new (docs/log-operation.md).'
  );
}

async function otherFaults(noted: readonly Fingerprint[], config: Config): Promise<readonly string[]> {
  const missing = config.secrets.unstored.map(({ name }) => name);
  const present = usedSecrets(config).filter(({ file }) => !missing.includes(file));
  return (await othersAmong(present, noted)).flatMap((secret) => {
    const before = noted.find(({ name }) => name === secret.name);
    return before ? [other(secret, before)] : [];
  });
}

function other({ name, file }: UsedSecret, { since, fingerprint }: Fingerprint): string {
  return (
    `${name} is not the secret that this database is used with since ${day(since)} (fingerprint ${shown(fingerprint)}). ` +
    `Set ${name} to that secret, or with the embedded database copy ${file} from a backup of DATA_DIR/secrets of that day ` +
    `or later. To renew the secret, set ${name}_FORMER to that one. Where it is lost, run ` +
    `npm run admin -- renew-secret ${file} --lost (docs/secrets.md).`
  );
}

function day(time: Date): string {
  return `${rfc3339(time).slice(0, 16)}Z`;
}
