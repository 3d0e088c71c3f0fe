import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** A secret or key that the service uses, and how an operator renews it (docs/secrets.md). */
export interface KnownSecret {
  /** Its variable, or its file in `DATA_DIR/secrets`. */
  readonly name: string;
  /** The file that has it with the embedded database; null: only the environment. */
  readonly file: string | null;
  readonly kind: string;
  /** What depends on it. */
  readonly serves: string;
  readonly renewal: string;
}

const WITH_OTHER_SIDE = 'there, then set it and restart';

/** Every secret: a test compares the list with the variables, with the files of a data folder, and with docs/secrets.md. */
export const SECRET_INVENTORY: readonly KnownSecret[] = [
  {
    name: 'SESSION_SECRET',
    file: 'session-secret',
    kind: 'HKDF-SHA-256 to keys of AES-256-GCM and HMAC-SHA-256',
    serves:
      'page cursors, secrets of webhooks and authenticator apps, queued mails, stored replies, hashes of networks',
    renewal: '`renew-secret session-secret`, or `SESSION_SECRET_FORMER`; then `reseal-secrets`',
  },
  {
    name: 'SESSION_SECRET_FORMER',
    file: 'session-secret-former',
    kind: 'as SESSION_SECRET',
    serves: 'what former values sealed',
    renewal: 'remove it after `reseal-secrets`',
  },
  {
    name: 'PASSWORD_PEPPER',
    file: 'password-pepper',
    kind: 'HMAC-SHA-384 before bcrypt',
    serves: 'password hashes',
    renewal: '`renew-secret password-pepper`, or `PASSWORD_PEPPER_FORMER`',
  },
  {
    name: 'PASSWORD_PEPPER_FORMER',
    file: 'password-pepper-former',
    kind: 'as PASSWORD_PEPPER',
    serves: 'hashes of accounts that have not logged in since',
    renewal: 'remove it when no hash has its name',
  },
  {
    name: 'log-key',
    file: 'log-key',
    kind: 'Ed25519',
    serves: 'signatures of the evidence log; also LOG_KEY_FILE and LOG_PREVIOUS_KEY_FILE',
    renewal: '`LOG_KEY_FILE` with `LOG_PREVIOUS_KEY_FILE` (docs/log-operation.md)',
  },
  ...['owner', 'service', 'superuser'].map((role) => ({
    name: `postgres-${role}`,
    file: `postgres-${role}`,
    kind: 'SCRAM-SHA-256',
    serves: `the role \`${{ owner: 'stancebook_owner', service: 'stancebook' }[role] ?? 'postgres'}\` of the embedded database`,
    renewal: `\`renew-secret postgres-${role}\`, the service stopped`,
  })),
  ...['DATABASE_URL', 'MIGRATION_DATABASE_URL', 'DATABASE_READ_URL'].map((name) => ({
    name,
    file: null,
    kind: 'password of a role',
    serves: 'a database of yours',
    renewal: 'give the role another password, set it and restart',
  })),
  {
    name: 'METRICS_TOKEN',
    file: null,
    kind: 'bearer token',
    serves: 'readers of `/metrics` on other machines',
    renewal: 'set it here and at the readers, restart',
  },
  {
    name: 'OTEL_EXPORTER_OTLP_HEADERS',
    file: null,
    kind: 'headers',
    serves: 'the collector of traces, and the receiver of log lines',
    renewal: WITH_OTHER_SIDE,
  },
  {
    name: 'OTEL_EXPORTER_OTLP_LOGS_HEADERS',
    file: null,
    kind: 'headers',
    serves: 'the receiver of log lines',
    renewal: WITH_OTHER_SIDE,
  },
  {
    name: 'IDP_CLIENT_SECRET',
    file: null,
    kind: 'client secret of OAuth 2.0',
    serves: 'sign-in by the identity provider',
    renewal: WITH_OTHER_SIDE,
  },
  { name: 'SMTP_URL', file: null, kind: 'password', serves: 'the mail server', renewal: WITH_OTHER_SIDE },
  ...['MARKET_DATA_ALPACA_KEY', 'MARKET_DATA_ALPACA_SECRET', 'MARKET_DATA_MASSIVE_KEY', 'MARKET_DATA_EODHD_KEY'].map(
    (name) => ({
      name,
      file: null,
      kind: 'key',
      serves: 'a source of prices',
      renewal: WITH_OTHER_SIDE,
    }),
  ),
];

/** The table of docs/secrets.md; secrets that differ in nothing but their names share a row. */
export function inventoryTable(): string {
  const rows = new Map<string, string[]>();
  for (const { name, file, kind, serves, renewal } of SECRET_INVENTORY) {
    const place = file === null || file === name ? '' : ` (\`${file}\`)`;
    const cells = `${kind} | ${serves} | ${renewal} |`;
    rows.set(cells, [...(rows.get(cells) ?? []), `\`${name}\`${place}`]);
  }
  const lines = [...rows].map(([cells, names]) => `| ${names.join(', ')} | ${cells}`);
  return ['| Secret (its file) | Kind | Serves | Renew it by |', '|---|---|---|---|', ...lines].join('\n');
}

/**
 * Refuses a DATA_DIR without a database, where DATABASE_URL names no other. Reading the configuration would make that
 * folder and new secrets in it.
 */
export function requireDatabaseIn(env: NodeJS.ProcessEnv): void {
  if (env.DATABASE_URL) return;
  const dataDir = resolve(env.DATA_DIR || './data');
  if (!existsSync(join(dataDir, 'postgres'))) throw new Error(`There is no database in ${dataDir}.`);
}
