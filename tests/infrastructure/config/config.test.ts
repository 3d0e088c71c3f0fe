import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { CONTRACT_LIMITS } from '../../../domain/limits.ts';
import { type Config, readConfig } from '../../../infrastructure/config/config.ts';
import { configurationDocument } from '../../../infrastructure/config/document.ts';

let DATA_DIR: string;

beforeAll(() => {
  DATA_DIR = mkdtempSync(join(tmpdir(), 'stancebook-config-'));
});

afterAll(() => rmSync(DATA_DIR, { recursive: true, force: true }));

const read = (env: NodeJS.ProcessEnv = {}) => readConfig({ DATA_DIR, ...env });
const faultsOf = (env: NodeJS.ProcessEnv) => {
  try {
    read(env);
    return [];
  } catch (error) {
    return String(error).split('\n- ').slice(1);
  }
};

const EXTERNAL = {
  DATABASE_URL: 'postgresql://stancebook@db.example/stancebook',
  SESSION_SECRET: 's'.repeat(32),
  PASSWORD_PEPPER: 'p'.repeat(32),
};

describe('with nothing set', () => {
  test('the limits are the contract', () => {
    expect(read().limits).toEqual(CONTRACT_LIMITS);
  });

  test('the service keeps to this machine and to its data folder', () => {
    const { server, dataDir, database, marketData, identity } = read();
    expect({ server, dataDir, database, barsDir: marketData.barsDir, identity }).toMatchObject({
      server: { host: '127.0.0.1', port: 3000, role: 'all', workers: 1, trustProxy: false, corsOrigins: [] },
      dataDir: DATA_DIR,
      database: { url: null, migrationUrl: null },
      barsDir: join(DATA_DIR, 'bars'),
      identity: null,
    });
  });

  test('the secrets are made once, differ, and are readable by the user of the service alone', () => {
    const { secrets } = read();
    expect(read().secrets).toEqual(secrets);
    expect(secrets.session).not.toBe(secrets.pepper);
    const folder = join(DATA_DIR, 'secrets');
    expect(readdirSync(folder).map((name) => statSync(join(folder, name)).mode & 0o777)).toEqual([0o600, 0o600, 0o600]);
  });

  test('a damaged secret stops the start instead of being replaced', () => {
    const damaged = mkdtempSync(join(DATA_DIR, 'damaged-'));
    read({ DATA_DIR: damaged });
    truncateSync(join(damaged, 'secrets', 'password-pepper'), 3);
    expect(() => read({ DATA_DIR: damaged })).toThrow('password-pepper is damaged');
  });
});

test('webhooks reach the public internet directly, unless told otherwise', () => {
  expect(read().webhooks).toEqual({ allowPrivate: false, proxy: null });
  const { webhooks } = read({ WEBHOOK_ALLOW_PRIVATE: 'true', WEBHOOK_PROXY: 'http://proxy.internal:4750' });
  expect(webhooks).toEqual({ allowPrivate: true, proxy: 'http://proxy.internal:4750' });
});

test('an empty variable counts as left out', () => {
  expect(read({ PORT: '', IDP_ISSUER: '', LIMIT_READ_PER_DAY: '' }).limits.readPerDay).toBe(CONTRACT_LIMITS.readPerDay);
});

test('the configuration cannot be changed, down to its lists', () => {
  const { limits, legal } = read();
  expect(Object.isFrozen(limits) && Object.isFrozen(legal.terms)).toBe(true);
});

test('verified owners need an identity provider', () => {
  const [fault, ...others] = faultsOf({ WISDOM_OWNER_PROOF: 'verified' });
  expect(others).toEqual([]);
  expect(fault).toMatch(/^WISDOM_OWNER_PROOF: `verified`, though neither IDP_ISSUER nor SMTP_URL is set/);
  expect(read().wisdom.ownerProof).toBe('none');
  expect(faultsOf({ WISDOM_OWNER_PROOF: 'email' })).toHaveLength(1);
});

test('snapshots need a licence, by its SPDX identifier', () => {
  expect(faultsOf({ DATA_SNAPSHOTS: 'monthly' })).toEqual([expect.stringMatching(/^DATA_SNAPSHOTS_LICENCE: missing/)]);
  const both = { DATA_SNAPSHOTS: 'monthly', DATA_SNAPSHOTS_LICENCE: 'CC-BY-4.0' };
  expect(read(both).dataSnapshots).toEqual({ licence: 'CC-BY-4.0' });
  expect(read({ ...both, DATA_SNAPSHOTS: 'off' }).dataSnapshots).toBeNull();
  expect(faultsOf({ DATA_SNAPSHOTS: 'daily' })).toHaveLength(1);
  expect(faultsOf({ ...both, DATA_SNAPSHOTS_LICENCE: 'do what you like' })).toHaveLength(1);
});

test('all faults are reported at once, each with its name and what to set', () => {
  const faults = faultsOf({ PORT: '80a', ROLE: 'leader', WISDOM_MIN_SAMPLES: '0' });
  expect(faults).toEqual([
    'PORT: "80a" cannot be used; send a whole number in digits, 0 to 65535',
    'ROLE: "leader" cannot be used; send one of `all`, `api`, `worker`',
    'WISDOM_MIN_SAMPLES: "0" cannot be used; send a whole number in digits, 1 to 1000000',
  ]);
});

describe('a value is refused', () => {
  test.each(['0x10', '1e3', '-1', '+1', ' 1', '1.0', '01', '65536', '٣'])('integer %j', (PORT) => {
    expect(faultsOf({ PORT })).toHaveLength(1);
  });

  test.each(['1', 'TRUE', 'yes', 'on', ' true'])('boolean %j', (CIRCUIT_AUTO_TRIP) => {
    expect(faultsOf({ CIRCUIT_AUTO_TRIP })).toHaveLength(1);
  });

  test.each(['*', 'https://a.example/', 'null', 'https://a.example/path', 'https://a.example,', 'ftp://a.example'])(
    'origin %j',
    (origin) => {
      const closed = origin === 'https://a.example/';
      expect(faultsOf({ CORS_ORIGINS: origin })).toHaveLength(closed ? 0 : 1);
    },
  );

  test.each(['true', '0', '11', '10.0.0.0/33', '0.0.0.0/0', 'proxy.example', '10.0.0.1,'])(
    'proxy %j',
    (TRUST_PROXY) => {
      expect(faultsOf({ TRUST_PROXY })).toHaveLength(1);
    },
  );

  test.each(['https://a.example', 'a.example:3000', 'a.example/', '*', 'a b', 'a.example,a.example', '*.example'])(
    'host %j',
    (ALLOWED_HOSTS) => {
      expect(faultsOf({ PUBLIC_URL: 'https://book.example', ALLOWED_HOSTS })).toHaveLength(1);
    },
  );

  test.each(['10.0.0.0/33', '0.0.0.0/0', '::/0', 'desk.example', '10.0.0.1/'])('network %j', (ADMIN_NETWORKS) => {
    expect(faultsOf({ ADMIN_NETWORKS })).toHaveLength(1);
  });

  test.each([
    'http://logs.example/v1/logs',
    'https://me:secret@logs.example',
    'https://logs.example/?key=1',
    'logs.example',
  ])('receiver of log lines %j', (OTEL_EXPORTER_OTLP_LOGS_ENDPOINT) => {
    expect(faultsOf({ OTEL_EXPORTER_OTLP_LOGS_ENDPOINT })).toEqual([
      expect.stringContaining('https (http on a loopback host only)'),
    ]);
  });

  test.each(['https://proxy.example', 'proxy.example:3128', 'http://me:secret@proxy.example', 'http://proxy.example/'])(
    'proxy of webhooks %j',
    (WEBHOOK_PROXY) => {
      const closed = WEBHOOK_PROXY === 'http://proxy.example/';
      expect(faultsOf({ WEBHOOK_PROXY })).toHaveLength(closed ? 0 : 1);
    },
  );

  test('hosts without PUBLIC_URL, whose own host they add to', () => {
    expect(faultsOf({ ALLOWED_HOSTS: 'api.internal' })).toEqual([
      'ALLOWED_HOSTS: set without PUBLIC_URL; send both, or neither',
    ]);
  });

  test.each(['security@a.example', 'http://a.example', 'javascript:alert(1)', 'mailto:', 'mailto:a@b\nX: y'])(
    'contact %j',
    (SECURITY_CONTACT) => {
      expect(faultsOf({ SECURITY_CONTACT })).toHaveLength(1);
    },
  );

  test.each(['mysql://db/stancebook', 'db.example', 'postgresql://db.example'])('database %j', (DATABASE_URL) => {
    expect(faultsOf({ ...EXTERNAL, DATABASE_URL })).toHaveLength(1);
  });

  test.each([
    'mail.example.com',
    'http://mail.example.com',
    'smtp:mail.example.com',
    'smtp://user@mail.example.com',
    'smtp://mail.example.com/path',
    'smtp://mail.example.com?tls=off',
    'smtp://user:%zz@mail.example.com',
  ])('mail server %j, without its text', (SMTP_URL) => {
    const faults = faultsOf({ SMTP_URL, MAIL_FROM: 'a@example.com', PUBLIC_URL: 'https://a.example' });
    expect(faults).toEqual([expect.stringMatching(/^SMTP_URL: /)]);
    expect(faults[0]).not.toContain(SMTP_URL);
  });

  test.each([
    'example.com',
    'a@b@example.com',
    'Ada <ada@example.com',
    '<>',
    'A\r\nBcc: b <a@example.com>',
    'Ädä <a@example.com>',
  ])('sender %j', (MAIL_FROM) => {
    const others = { SMTP_URL: 'smtp://mail.example.com', PUBLIC_URL: 'https://a.example' };
    expect(faultsOf({ ...others, MAIL_FROM })).toEqual([expect.stringMatching(/^MAIL_FROM: /)]);
  });

  test('issuer in plain http, but for a loopback host', () => {
    const provider = { IDP_CLIENT_ID: 'id', IDP_CLIENT_SECRET: 'secret', IDP_AUDIENCE: 'api' };
    expect(faultsOf({ ...provider, IDP_ISSUER: 'http://idp.example' })).toHaveLength(1);
    expect(faultsOf({ ...provider, IDP_ISSUER: 'http://127.0.0.1:4000' })).toEqual([]);
  });
});

describe('values are read', () => {
  test('lists, hops and networks', () => {
    const { server, legal } = read({
      CORS_ORIGINS: 'https://a.example, https://b.example:8443',
      TRUST_PROXY: '10.0.0.0/8,::1',
      PUBLIC_URL: 'https://book.example',
      ALLOWED_HOSTS: 'API.internal, 10.0.0.7, [::1]',
      LEGAL_TERMS: '1.0,2.0',
    });
    expect(server.corsOrigins).toEqual(['https://a.example', 'https://b.example:8443']);
    expect(server.trustProxy).toEqual(['10.0.0.0/8', '::1']);
    expect(server.allowedHosts).toEqual(['api.internal', '10.0.0.7', '[::1]']);
    expect(legal.terms).toEqual(['1.0', '2.0']);
    expect(read({ TRUST_PROXY: '2' }).server.trustProxy).toBe(2);
  });

  test.each(Object.keys(CONTRACT_LIMITS) as (keyof typeof CONTRACT_LIMITS)[])(
    'the limit %s by its own variable',
    (limit) => {
      const name = `LIMIT_${limit.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
      expect(read({ [name]: '7' }).limits).toEqual({ ...CONTRACT_LIMITS, [limit]: 7 });
    },
  );
});

describe('market data', () => {
  test('each crypto venue has its own exchange, at its public address', () => {
    const { network, crypto, addresses } = read().marketData;
    expect([network, crypto.KRAKEN, Object.keys(crypto)]).toEqual([
      true,
      ['kraken'],
      ['BINANCE', 'COINBASE', 'KRAKEN', 'BYBIT', 'OKX'],
    ]);
    expect(Object.values(addresses).every((address) => /^https:\/\/[^/]+$/.test(address))).toBe(true);
  });

  test('venues are read with their sources in order, addresses without their closing slash', () => {
    const { crypto, addresses } = read({
      MARKET_DATA_CRYPTO: 'KRAKEN:files+kraken+coinbase, OKX:okx',
      MARKET_DATA_OKX_URL: 'http://mirror.example:8080/okx/',
    }).marketData;
    expect(crypto).toEqual({ KRAKEN: ['files', 'kraken', 'coinbase'], OKX: ['okx'] });
    expect(addresses.okx).toBe('http://mirror.example:8080/okx');
  });

  test.each(['KRAKEN', 'KRAKEN:', 'kraken:kraken', 'NYSE:kraken', 'KRAKEN:yahoo', 'KRAKEN:okx+okx', 'OKX:okx,OKX:okx'])(
    'the sources %j are refused',
    (MARKET_DATA_CRYPTO) => {
      expect(faultsOf({ MARKET_DATA_CRYPTO })).toHaveLength(1);
    },
  );

  test.each(['okx.example', 'ftp://okx.example', 'https://me:pw@okx.example', 'https://okx.example/?a=1'])(
    'the address %j is refused',
    (MARKET_DATA_OKX_URL) => {
      expect(faultsOf({ MARKET_DATA_OKX_URL })).toHaveLength(1);
    },
  );
});

describe('a variable of ours that does not exist', () => {
  test('is a fault that names the nearest', () => {
    expect(faultsOf({ LIMIT_RATE_PER_SECONDS: '5' })).toEqual([
      'LIMIT_RATE_PER_SECONDS: there is no such variable; did you mean LIMIT_RATE_PER_SECOND?',
    ]);
  });

  test('is no concern of ours with a prefix of others', () => {
    expect(faultsOf({ NODE_ENV: 'production', PORTAL: '1', HOSTNAME: 'x' })).toEqual([]);
  });
});

describe('variables that need each other', () => {
  test('an external database needs the secrets that all its nodes share', () => {
    expect(faultsOf({ DATABASE_URL: EXTERNAL.DATABASE_URL }).map((fault) => fault.split(':')[0])).toEqual([
      'SESSION_SECRET',
      'PASSWORD_PEPPER',
    ]);
    expect(read(EXTERNAL)).toMatchObject({
      database: { url: EXTERNAL.DATABASE_URL, migrationUrl: EXTERNAL.DATABASE_URL },
      secrets: { session: EXTERNAL.SESSION_SECRET, pepper: EXTERNAL.PASSWORD_PEPPER },
    });
  });

  test('a database for migrations needs the one of the service', () => {
    expect(faultsOf({ MIGRATION_DATABASE_URL: EXTERNAL.DATABASE_URL })).toHaveLength(1);
  });

  test('a replica needs the database that it is one of', () => {
    expect(faultsOf({ DATABASE_READ_URL: EXTERNAL.DATABASE_URL })).toHaveLength(1);
    expect(read({ ...EXTERNAL, DATABASE_READ_URL: EXTERNAL.DATABASE_URL }).database.readUrl).toBe(
      EXTERNAL.DATABASE_URL,
    );
  });

  test('a pooler needs a way past it for migrations', () => {
    const pooled = { ...EXTERNAL, DATABASE_POOLER: 'transaction' };
    expect(faultsOf(pooled).map((fault) => fault.split(':')[0])).toEqual(['MIGRATION_DATABASE_URL']);
    const past = 'postgresql://owner@db.example:5432/stancebook';
    expect(read({ ...pooled, MIGRATION_DATABASE_URL: past }).database.pooled).toBe(true);
  });

  test('mail needs server, sender and the address of the service', () => {
    const SMTP_URL = 'smtps://user:p%40ss@mail.example.com';
    const MAIL_FROM = 'Stancebook <stancebook@example.com>';
    const PUBLIC_URL = 'https://stancebook.example';
    expect(faultsOf({ SMTP_URL, PUBLIC_URL })).toEqual([expect.stringMatching(/^MAIL_FROM: missing/)]);
    expect(faultsOf({ MAIL_FROM, PUBLIC_URL })).toEqual([expect.stringMatching(/^SMTP_URL: missing/)]);
    expect(faultsOf({ SMTP_URL, MAIL_FROM })).toEqual([expect.stringMatching(/^PUBLIC_URL: missing/)]);
    const from = { name: 'Stancebook', address: 'stancebook@example.com' };
    const { mail, wisdom } = read({ SMTP_URL, MAIL_FROM, PUBLIC_URL, WISDOM_OWNER_PROOF: 'verified' });
    expect([mail, wisdom.ownerProof, read().mail]).toEqual([{ url: SMTP_URL, from }, 'verified', null]);
  });

  test('who needs a factor of every owner needs one of admins', () => {
    const required = { OWNER_FACTOR: 'required' };
    expect(faultsOf({ ...required, ADMIN_FACTOR: 'optional' })).toEqual([expect.stringMatching(/^ADMIN_FACTOR: `opt/)]);
    const factors = ({ server }: Config) => [server.ownerFactorRequired, server.adminFactorRequired];
    expect([factors(read(required)), factors(read())]).toEqual([
      [true, true],
      [false, false],
    ]);
  });

  test('a provider needs all four', () => {
    expect(
      faultsOf({ IDP_ISSUER: 'https://idp.example', IDP_CLIENT_ID: 'id' }).map((fault) => fault.split(':')[0]),
    ).toEqual(['IDP_CLIENT_SECRET', 'IDP_AUDIENCE']);
  });
});

test('log lines have the headers of all signals and their own, and stay here without a receiver', () => {
  const env = { OTEL_EXPORTER_OTLP_HEADERS: 'a=1', OTEL_EXPORTER_OTLP_LOGS_HEADERS: 'b=2' };
  expect(read(env).log.forwarding).toBeNull();
  for (const url of ['https://logs.example/v1/logs', 'http://127.0.0.1:4318/v1/logs'])
    expect(read({ ...env, OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: url }).log.forwarding).toEqual({ url, headers: 'a=1,b=2' });
});

test('a refused secret is not repeated', () => {
  const faults = faultsOf({
    ...EXTERNAL,
    SESSION_SECRET: 'canary-session',
    DATABASE_URL: 'mysql://u:canary-password@db/x',
  });
  expect(faults).toHaveLength(2);
  expect(faults.join()).not.toContain('canary');
});

test('the manual lists what the service reads (else: node scripts/write-configuration.ts)', () => {
  const manual = readFileSync(join(import.meta.dirname, '..', '..', '..', 'docs', 'configuration.md'), 'utf8');
  expect(manual).toBe(configurationDocument());
});
