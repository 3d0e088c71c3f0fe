import { statSync } from 'node:fs';
import type pg from 'pg';
import { newestFingerprints } from '../../../adapters/postgres/secret-fingerprints.ts';
import { openTotp, sealTotp } from '../../../application/accounts/factors/totp-secret.ts';
import type { SecretValues } from '../../../application/derived-key.ts';
import { openMail, sealMail } from '../../../application/mail/sealed-mail.ts';
import { sealWebhookSecret, webhookSecret } from '../../../application/webhooks/webhook-secret.ts';
import { rfc3339 } from '../../../domain/time.ts';
import { openServer } from '../../backup/open-server.ts';
import { type Config, readConfig, sessionValues } from '../../config/config.ts';
import { requireDatabaseIn } from '../../config/data-folder.ts';
import { SECRET_INVENTORY } from '../../config/secret-inventory.ts';
import { secretFile } from '../../config/stored-secrets.ts';
import { connectDatabase } from '../../database/connect-database.ts';
import { requireNotedSecrets, shown } from '../../database/secret-fingerprints.ts';
import { operatorName } from '../../operator-name.ts';
import { argumentsIn } from '../arguments.ts';
import { type OfflineCommand, UsageError } from '../command.ts';
import { table } from '../text/text-table.ts';

/** The inventory of what this process uses. It prints no secret. */
export const secretsCommand: OfflineCommand = {
  usage: '',
  summary: 'list the secrets and keys that are in use: where each is, since when, its fingerprint, how to renew it',
  json: '{ secrets: [{ name, place, since, fingerprint, renewal }]; since and fingerprint are null where unknown }',
  opens: 'nothing',
  read(args) {
    if (argumentsIn(args, {}).positionals.length > 0) throw new UsageError('This command takes nothing.');
    return async ({ env, print, report }) => {
      const secrets = await onDatabase(env, (client, config) => inventory(client, config, env));
      const cells = secrets.map(({ name, place, since, fingerprint, renewal }) => [
        ...[name, place, since ?? '-', fingerprint ?? '-', renewal.replaceAll('`', '')],
      ]);
      print(table(['name', 'place', 'since', 'fingerprint', 'renew it by'], cells));
      report({ secrets });
      return 0;
    };
  },
};

/** Seals again what former values of SESSION_SECRET sealed, so that they can be removed. */
export const resealSecretsCommand: OfflineCommand = {
  usage: '',
  summary: 'seal again what former values of SESSION_SECRET sealed, once every node has the new one; then remove them',
  json: '{ resealed, unreadable: rows that no value opens }',
  opens: 'nothing',
  read(args) {
    if (argumentsIn(args, {}).positionals.length > 0) throw new UsageError('This command takes nothing.');
    return async ({ env, print, report }) => {
      const done = await onDatabase(env, (client, config) => reseal(client, sessionValues(config.secrets)));
      print(
        `${done.resealed} rows were sealed again by the present SESSION_SECRET; ${done.unreadable} cannot be read by any ` +
          'of its values. Page cursors of the former values end when you remove them.',
      );
      report({ ...done });
      return 0;
    };
  },
};

async function onDatabase<Result>(
  env: NodeJS.ProcessEnv,
  work: (client: pg.Client, config: Config) => Promise<Result>,
): Promise<Result> {
  requireDatabaseIn(env);
  const config = readConfig(env);
  const server = await openServer(config);
  try {
    await requireNotedSecrets(server.serviceUrl, server.ownerName, config);
    const client = await connectDatabase(server.serviceUrl, server.ownerName);
    try {
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
