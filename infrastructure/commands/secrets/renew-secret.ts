import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { openServer } from '../../backup/open-server.ts';
import { readConfig } from '../../config/config.ts';
import { requireDatabaseIn } from '../../config/data-folder.ts';
import { newLogKey } from '../../config/evidence-log.ts';
import { randomSecret, replaceSecret, secretFile, storeSecret } from '../../config/stored-secrets.ts';
import { connectDatabase } from '../../database/connect-database.ts';
import { replaceNotedSecret, usedSecrets } from '../../database/secret-fingerprints.ts';
import { renewRolePassword } from '../../embedded-postgres/embedded-postgres.ts';
import { ROLES } from '../../embedded-postgres/roles.ts';
import { argumentsIn } from '../arguments.ts';
import { type ExitCode, type OfflineCommand, type OfflineContext, UsageError } from '../command.ts';

const SEALING = ['session-secret', 'password-pepper'] as const;
const NAMES = [...SEALING, 'log-key', ...Object.keys(ROLES)];

/** Renews a secret of the data folder; one of the environment is renewed there, and noted by the next start. */
export const renewSecretCommand: OfflineCommand = {
  usage: `${NAMES.join(' | ')} [--lost]`,
  summary:
    'make a new secret in DATA_DIR and keep the former one for what it sealed; --lost: go on without the former one',
  json: '{ name, renewed: whether a new one was made, lost }',
  opens: 'nothing',
  read(args) {
    const { positionals, values } = argumentsIn(args, { lost: { type: 'boolean', default: false } });
    const [name, ...others] = positionals;
    if (name === undefined || others.length > 0 || !NAMES.includes(name))
      throw new UsageError(`Name one of ${NAMES.join(', ')}.`);
    return async (context) => {
      requireDatabaseIn(context.env);
      const code = await renew(context, name, values.lost);
      context.report({ name, renewed: code === 0, lost: values.lost });
      return code;
    };
  },
};

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
