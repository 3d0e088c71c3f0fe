import { existsSync, readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type pg from 'pg';
import { newestFingerprints } from '../../adapters/postgres/secret-fingerprints.ts';
import { openTotp, sealTotp } from '../../application/accounts/factors/totp-secret.ts';
import { openMail, sealMail } from '../../application/mail/queue-mail.ts';
import type { SecretValues } from '../../application/sealed-secret.ts';
import { sealWebhookSecret, webhookSecret } from '../../application/webhooks/deliver-webhooks.ts';
import { rfc3339 } from '../../domain/time.ts';
import { openServer } from '../backup/open-server.ts';
import { type Config, readConfig, sessionValues } from '../config/config.ts';
import { newLogKey } from '../config/evidence-log.ts';
import { requireDatabaseIn, SECRET_INVENTORY } from '../config/secret-inventory.ts';
import { randomSecret, replaceSecret, secretFile, storeSecret } from '../config/stored-secrets.ts';
import { connectDatabase } from '../database/connect-database.ts';
import { replaceNotedSecret, requireNoted, shown, usedSecrets } from '../database/secret-fingerprints.ts';
import { renewRolePassword } from '../embedded-postgres/embedded-postgres.ts';
import { ROLES } from '../embedded-postgres/roles.ts';
import { operatorName } from '../operator-name.ts';
import { type ExitCode, FLAG, type OfflineContext, offline, UsageError, word } from './command.ts';
import { type Columns, tableOf } from './text.ts';

const SEALING = ['session-secret', 'password-pepper'] as const;
const NAMES = [...SEALING, 'log-key', ...Object.keys(ROLES)];
const ONE_SECRET = `Name one of ${NAMES.join(', ')}.`;

/** The secrets that this process uses: their inventory, which shows none of them, and new ones in their place. */
export const SECRET_COMMANDS = [
  offline({
    name: 'secrets',
    summary: 'list the secrets and keys that are in use: where each is, since when, its fingerprint, how to renew it',
    json: '{ secrets: [{ name, place, since, fingerprint, renewal }]; since and fingerprint are null where unknown }',
    takes: {},
    excess: 'This command takes nothing.',
    async run(_, { env }) {
      const secrets = await onDatabase(env, (client, config) => inventory(client, config, env));
      return { text: tableOf(SECRET_COLUMNS, secrets), report: { secrets } };
    },
  }),
  // So that former values of SESSION_SECRET can be removed.
  offline({
    name: 'reseal-secrets',
    summary:
      'seal again what former values of SESSION_SECRET sealed, once every node has the new one; then remove them',
    json: '{ resealed, unreadable: rows that no value opens }',
    takes: {},
    excess: 'This command takes nothing.',
    async run(_, { env }) {
      const report = await onDatabase(env, (client, config) => reseal(client, sessionValues(config.secrets)));
      const text =
        `${report.resealed} rows were sealed again by the present SESSION_SECRET; ${report.unreadable} cannot be read by any ` +
        'of its values. Page cursors of the former values end when you remove them.';
      return { text, report };
    },
  }),
  // Of the data folder; a secret of the environment is renewed there, and noted by the next start.
  offline({
    name: 'renew-secret',
    summary:
      'make a new secret in DATA_DIR and keep the former one for what it sealed; --lost: go on without the former one',
    json: '{ name, renewed: whether a new one was made, lost }',
    takes: { name: word(NAMES.join(' | '), ONE_SECRET, secretNameIn), lost: FLAG },
    async run({ name, lost }, context) {
      requireDatabaseIn(context.env);
      const code = await renew(context, name, lost);
      context.report({ name, renewed: code === 0, lost });
      return code;
    },
  }),
];

const SECRET_COLUMNS: Columns<InventoryRow> = {
  name: ({ name }) => name,
  place: ({ place }) => place,
  since: ({ since }) => since ?? '-',
  fingerprint: ({ fingerprint }) => fingerprint ?? '-',
  'renew it by': ({ renewal }) => renewal.replaceAll('`', ''),
};

/** @throws UsageError */
function secretNameIn(sent: string): string {
  if (NAMES.includes(sent)) return sent;
  throw new UsageError(ONE_SECRET);
}

async function onDatabase<Result>(
  env: NodeJS.ProcessEnv,
  work: (client: pg.Client, config: Config) => Promise<Result>,
): Promise<Result> {
  requireDatabaseIn(env);
  const config = readConfig(env);
  const server = await openServer(config);
  try {
    const client = await connectDatabase(server.serviceUrl, server.ownerName);
    try {
      await requireNoted(client, config);
      return await work(client, config);
    } finally {
      await client.end();
    }
  } finally {
    await server.close();
  }
}

interface InventoryRow {
  readonly name: string;
  readonly place: string;
  readonly since: string | null;
  readonly fingerprint: string | null;
  readonly renewal: string;
}

async function inventory(client: pg.Client, config: Config, env: NodeJS.ProcessEnv): Promise<readonly InventoryRow[]> {
  const noted = await newestFingerprints(client);
  const { rows } = await client.query<{ key_id: string; since: Date }>(
    'select key_id, since from app.log_keys order by log desc, since desc limit 1',
  );
  return SECRET_INVENTORY.flatMap(({ name, file, renewal }) => {
    const made = file === null || config.database.url !== null ? undefined : madeAt(secretFile(config.dataDir, file));
    const isSet = name === 'log-key' ? Boolean(env.LOG_KEY_FILE) : Boolean(env[name]);
    if (!isSet && made === undefined) return [];
    const fingerprint = noted.find((each) => each.name === name);
    const key = name === 'log-key' ? rows[0] : undefined;
    const since = fingerprint?.since ?? key?.since ?? (isSet ? undefined : made);
    return {
      ...{ name, renewal, since: since ? rfc3339(since) : null },
      place: isSet ? (name === 'log-key' ? 'LOG_KEY_FILE' : 'environment') : `secrets/${file}`,
      fingerprint: fingerprint ? shown(fingerprint.fingerprint) : (key?.key_id ?? null),
    };
  });
}

function madeAt(file: string): Date | undefined {
  return statSync(file, { throwIfNoEntry: false })?.mtime;
}

interface Sealed {
  readonly table: string;
  readonly id: string;
  readonly column: string;
  readonly open: (secret: SecretValues, id: string, sealed: Uint8Array) => string | null;
  readonly seal: (secret: SecretValues, id: string, text: string) => Uint8Array;
}

const TOTP = { table: 'totp_secrets', id: 'owner_id', open: openTotp, seal: sealTotp };
const WEBHOOK = { table: 'webhooks', id: 'webhook_id', open: webhookSecret, seal: sealWebhookSecret };
/** Every column with something that a value of SESSION_SECRET sealed, but stored replies, which are made again. */
const SEALED: readonly Sealed[] = [
  { ...TOTP, column: 'secret' },
  { ...TOTP, column: 'pending' },
  { ...WEBHOOK, column: 'secret' },
  { ...WEBHOOK, column: 'former_secret' },
  {
    ...{ table: 'mails', id: 'mail_id', column: 'content' },
    open: (secret, id, sealed) => {
      const content = openMail(secret, id, sealed);
      return content && JSON.stringify(content);
    },
    seal: (secret, id, text) => sealMail(secret, id, JSON.parse(text)),
  },
];

/** Each row by itself and only while it is as it was read, so that nothing waits, and no change in between is lost. */
async function reseal(client: pg.Client, values: ReturnType<typeof sessionValues>) {
  let [resealed, unreadable] = [0, 0];
  for (const { table: name, id, column, open, seal } of SEALED) {
    const { rows } = await client.query<{ id: string; sealed: Buffer }>(
      `select ${id}::text as id, ${column} as sealed from app.${name} where ${column} is not null`,
    );
    for (const row of rows) {
      if (open(values[0], row.id, row.sealed) !== null) continue;
      const text = open(values, row.id, row.sealed);
      if (text === null) unreadable += 1;
      else {
        const change = `update app.${name} set ${column} = $1 where ${id} = $2 and ${column} = $3`;
        resealed += (await client.query(change, [seal(values, row.id, text), row.id, row.sealed])).rowCount ?? 0;
      }
    }
  }
  const entry = [operatorName(), 'secrets_resealed', 'SESSION_SECRET', { resealed, unreadable }];
  await client.query('insert into app.audit_log (actor, action, subject, detail) values ($1, $2, $3, $4)', entry);
  return { resealed, unreadable };
}

async function renew(context: OfflineContext, name: string, lost: boolean): Promise<ExitCode> {
  const sealing = SEALING.find((each) => each === name);
  if (sealing !== undefined) return lost ? replaceLost(context, sealing) : renewSealing(context, sealing);
  if (context.env.DATABASE_URL) {
    context.print(
      `${name} is a file of the embedded database, and DATABASE_URL names another: renew its secrets there.`,
    );
    return 1;
  }
  return name === 'log-key' ? renewLogKey(context, lost) : renewPassword(context, name as keyof typeof ROLES);
}

/** The next start finds the former value, and notes the new one. */
function renewSealing({ env, print }: OfflineContext, name: (typeof SEALING)[number]): ExitCode {
  const variable = variableOf(name);
  const dataDir = resolve(env.DATA_DIR || './data');
  const file = secretFile(dataDir, name);
  if (env[variable] || env.DATABASE_URL) {
    print(
      `${variable} is set: set it to a new secret and ${variable}_FORMER to the present one, on every node, and restart.`,
    );
    return 1;
  }
  if (!existsSync(file)) {
    print(`${file} is missing. Copy it from a backup of that folder; where it is lost, send --lost.`);
    return 1;
  }
  const kept = secretFile(dataDir, `${name}-former`);
  const present = readFileSync(file, 'utf8').trim();
  const former = existsSync(kept) ? readFileSync(kept, 'utf8').split('\n') : [];
  // The former ones first: after a crash the present one is only named twice.
  const values = [...new Set([present, ...former.filter((line) => line !== '')])];
  replaceSecret(dataDir, { name: `${name}-former`, text: values.join('\n') });
  replaceSecret(dataDir, { name, text: randomSecret() });
  print(`${file} has a new secret, and ${kept} the former one. Restart the service, and back up the folder.`);
  return 0;
}

/** Notes the present value; where it is a file that is missing, a new one is made. */
async function replaceLost({ env, print }: OfflineContext, name: (typeof SEALING)[number]): Promise<ExitCode> {
  const config = readConfig(env);
  const server = await openServer(config);
  try {
    const client = await connectDatabase(server.serviceUrl, server.ownerName);
    try {
      const secret = usedSecrets(config).find(({ file }) => file === name);
      const unstored = config.secrets.unstored.find((each) => each.name === name);
      if (unstored) storeSecret(config.dataDir, unstored);
      if (secret) await replaceNotedSecret(client, secret);
    } finally {
      await client.end();
    }
  } finally {
    await server.close();
  }
  print(`The database is used with the present ${variableOf(name)} from now on. ${AFTER[name]} Restart the service.`);
  return 0;
}

const AFTER = {
  'session-secret': 'Owners set up authenticator apps and rotate secrets of webhooks again.',
  'password-pepper': 'Owners need reset-password.',
} as const;

function variableOf(name: (typeof SEALING)[number]): string {
  return name === 'session-secret' ? 'SESSION_SECRET' : 'PASSWORD_PEPPER';
}

function renewLogKey({ env, print }: OfflineContext, lost: boolean): ExitCode {
  const dataDir = resolve(env.DATA_DIR || './data');
  const file = secretFile(dataDir, 'log-key');
  if (!lost || existsSync(file)) {
    print(
      `Set LOG_PREVIOUS_KEY_FILE to a copy of ${file} and LOG_KEY_FILE to a new key: docs/log-operation.md, Another key.`,
    );
    return 1;
  }
  storeSecret(dataDir, { name: 'log-key', text: newLogKey() });
  print(`${file} has a new key. Run log-new, which ends the log of the lost key, then start the service.`);
  return 0;
}

async function renewPassword({ env, print }: OfflineContext, name: keyof typeof ROLES): Promise<ExitCode> {
  const dataDir = resolve(env.DATA_DIR || './data');
  await renewRolePassword(dataDir, name);
  print(`${secretFile(dataDir, name)} has a new password, which the role ${ROLES[name]} has too.`);
  return 0;
}
