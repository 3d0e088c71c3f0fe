import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import request from 'supertest';
import { openMemory } from '../../adapters/memory/storage.ts';
import type { PostgresStorage } from '../../adapters/postgres/storage.ts';
import { ed25519PublicKey } from '../../application/ed25519.ts';
import { logKeyOf } from '../../application/log/read-log.ts';
import type { Ports } from '../../application/ports.ts';
import type { DecisionDraft, DecisionIntake } from '../../domain/decisions/submission/decision-intake.ts';
import { COSIGNATURE, vkeyText } from '../../domain/log/notes/note.ts';
import { openStorage } from '../../infrastructure/compose/open-storage.ts';
import { type ComposedService, composeService, observedPorts } from '../../infrastructure/compose.ts';
import { readConfig } from '../../infrastructure/config/config.ts';
import { createLogger } from '../../infrastructure/logging/logger.ts';
import { openTracing } from '../../infrastructure/tracing/open-tracing.ts';
import { NO_TRACING, type Tracing } from '../../infrastructure/tracing/tracing.ts';
import { aSigner } from '../builders/log.ts';
import { policyText } from '../builders/witnessed-logs.ts';
import { freshDatabase, type TestDatabase } from '../harness/database.ts';

interface Composed {
  readonly service: ComposedService;
  readonly storage: PostgresStorage;
  readonly tracing: Tracing;
}

/** Nothing listens there. */
const NOWHERE = 'http://127.0.0.1:9';

/** The settings of each optional part, and whether a composed service has the part. */
const PARTS = {
  tracing: {
    env: () => ({ OTEL_EXPORTER_OTLP_ENDPOINT: NOWHERE, OTEL_TRACES_SAMPLER: 'always_off' }),
    isThere: async ({ tracing }: Composed) => tracing !== NO_TRACING,
  },
  'the identity provider': {
    env: () => ({ IDP_ISSUER: NOWHERE, IDP_CLIENT_ID: 'us', IDP_CLIENT_SECRET: 'secret', IDP_AUDIENCE: 'us' }),
    async isThere({ service }: Composed) {
      const { status, body } = await request(service.app()).get('/api/v1/public/auth/idp');
      expect(status).toBe(503);
      return body.error.code !== 'OAUTH_NOT_CONFIGURED';
    },
  },
  mail: {
    env: () => ({
      SMTP_URL: 'smtp://127.0.0.1:9',
      MAIL_FROM: 'us@example.com',
      PUBLIC_URL: 'https://log.test',
      ALLOWED_HOSTS: '127.0.0.1',
    }),
    isThere: async ({ service }: Composed) => service.ports.mailSender !== null,
  },
  'the source of pegs': {
    env: () => ({ CIRCUIT_MONITOR: 'true' }),
    isThere: async ({ service }: Composed) => service.ports.pegSource !== null,
  },
  'the witnesses of the evidence log': {
    env: () => ({
      LOG_KEY_FILE: keyFile,
      LOG_POLICY_FILE: policyFile,
      PUBLIC_URL: 'https://log.test',
      ALLOWED_HOSTS: '127.0.0.1',
      LOG_LAST_SEEN: join(folder, 'seen'),
    }),
    isThere: async ({ service }: Composed) =>
      (await service.metrics.text()).includes('stancebook_log_witness_age_seconds') &&
      service.ports.logWriter?.witnesses !== undefined,
  },
  'the Model Context Protocol': {
    env: () => ({ MCP: 'on' }),
    async isThere({ service }: Composed) {
      const { status } = await request(service.app()).post('/mcp').send({});
      return status !== 404;
    },
  },
  'the replica': {
    env: (url: string) => ({ DATABASE_READ_URL: url }),
    isThere: async ({ service }: Composed) => (await service.metrics.text()).includes('stancebook_replica_reads_total'),
  },
};
type Part = keyof typeof PARTS;
const NAMES = Object.keys(PARTS) as Part[];

/** The key of a log, and a policy with a witness of it. */
let keyFile: string;
let policyFile: string;

const closers: (() => Promise<unknown>)[] = [];
let database: TestDatabase;
let folder: string;

beforeAll(async () => {
  database = await freshDatabase();
  folder = mkdtempSync(join(tmpdir(), 'stancebook-compose-'));
  [keyFile, policyFile] = [join(folder, 'key'), join(folder, 'policy')];
  const { privateKey } = generateKeyPairSync('ed25519');
  writeFileSync(keyFile, privateKey.export({ format: 'pem', type: 'pkcs8' }), { mode: 0o600 });
  const key = logKeyOf({ publicKey: ed25519PublicKey(privateKey) }, 'log.test/log/1');
  const witness = { vkey: vkeyText(aSigner('witness.test', COSIGNATURE, 2).key), url: NOWHERE };
  writeFileSync(policyFile, policyText({ W: witness }, 'all', [vkeyText(key)]));
});
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});
afterAll(async () => {
  await database.drop();
  rmSync(folder, { recursive: true });
});

async function composedWith(parts: readonly Part[]): Promise<Composed> {
  const url = database.serviceUrl;
  const env = Object.assign({}, ...parts.map((part) => PARTS[part].env(url)));
  const secrets = { SESSION_SECRET: 's'.repeat(32), PASSWORD_PEPPER: 'p'.repeat(32) };
  const config = readConfig({
    DATA_DIR: folder,
    DATABASE_URL: url,
    CIRCUIT_MONITOR: 'false',
    MCP: 'off',
    ...secrets,
    ...env,
  });
  const log = createLogger({ level: 'silent', format: 'json' });
  const storage = await openStorage(url, config, log);
  closers.push(storage.close);
  const tracing = await openTracing(config.tracing, log);
  closers.push(tracing.stop);
  const service = await composeService({ storage, tracing, isRunning: () => true }, config, log);
  closers.push(service.ports.workflowYaml.close, service.ports.wakeUps.close);
  return { service, storage, tracing };
}

async function serves({ service }: Composed, email: string): Promise<void> {
  const app = service.app();
  await request(app).get('/readyz').expect(200);
  const account = { email, password: 'a long pass phrase' };
  const { body } = await request(app).post('/api/v1/public/auth/quick-setup').send(account).expect(201);
  await request(app).get('/api/v1/agent/decisions').set('x-api-key', body.api_key).expect(200);
  await request(app).get('/api/v1/public/workflows').set('x-api-key', body.api_key).expect(200);
}

test('the service with every optional part', async () => {
  const composed = await composedWith(NAMES);
  for (const name of NAMES) expect([name, await PARTS[name].isThere(composed)]).toEqual([name, true]);
  await serves(composed, 'all@example.org');
});

describe.each(NAMES)('the service without %s', (missing) => {
  test('serves requests, and has the other parts', async () => {
    const composed = await composedWith(NAMES.filter((name) => name !== missing));
    for (const name of NAMES) expect([name, await PARTS[name].isThere(composed)]).toEqual([name, name !== missing]);
    await serves(composed, `without-${NAMES.indexOf(missing)}@example.org`);
  });
});

test('a policy without the key of the log is refused at the start, with the line to add', async () => {
  writeFileSync(policyFile, policyText({}, 'none', [vkeyText(aSigner('log.test/log/1').key)]));
  await expect(composedWith(['the witnesses of the evidence log'])).rejects.toThrow(
    /^LOG_POLICY_FILE has no line with the key of this log: add "log log\.test\/log\/1\+[0-9a-f]{8}\+\S+"\.$/,
  );
});

test('metrics count the verdicts that come through tracing', async () => {
  const calls: string[] = [];
  const intake: DecisionIntake = {
    ...openMemory().intake,
    async submit() {
      calls.push('storage');
      return { verdict: 'accepted' } as never;
    },
  };
  const tracing: Tracing = {
    ...NO_TRACING,
    ports: (ports) => ({
      ...ports,
      intake: {
        ...intake,
        async submit(draft: DecisionDraft) {
          calls.push('tracing');
          await intake.submit(draft);
          return { verdict: 'traced' };
        },
      },
    }),
  };
  const { ports, metrics } = observedPorts({ ...openMemory(), intake } as unknown as Ports, tracing);
  await ports.intake.submit({} as DecisionDraft);
  expect(calls).toEqual(['tracing', 'storage']);
  expect(await metrics.text()).toContain('stancebook_submissions_total{verdict="traced"} 1');
});
