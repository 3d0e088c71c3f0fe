import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { openMemory } from '../../adapters/memory/storage.ts';
import { sha256 } from '../../application/sha256.ts';
import { JOBS, type Job, longestSilence, SCHEDULES } from '../../domain/jobs.ts';
import { LOG, STATUS } from '../../domain/limits.ts';
import { COSIGNATURE, vkeyText } from '../../domain/log/notes/note.ts';
import { policyOf } from '../../domain/log/notes/policy.ts';
import { MINUTE, SECOND } from '../../domain/time.ts';
import { marketTally } from '../../infrastructure/metrics/market-figures.ts';
import { createMetrics } from '../../infrastructure/metrics/metrics.ts';
import { aCircuit, aPeg } from '../builders/circuits.ts';
import { aSigner } from '../builders/log.ts';
import { policyText } from '../builders/witnessed-logs.ts';

const FOLDER = join(import.meta.dirname, '../../docs/operating');
const read = (file: string) => readFileSync(join(FOLDER, file), 'utf8');

/** What Prometheus itself knows: the labels of a target, of a bucket, and of the process where there are several. */
const GIVEN = ['job', 'instance', 'le', 'process'];

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
}
interface Rules {
  readonly groups: readonly { readonly rules: readonly Rule[] }[];
}
interface Dashboard {
  readonly panels: readonly { readonly title: string; readonly targets?: readonly { readonly expr: string }[] }[];
}

const alerts = (parse(read('alerts.yaml')) as Rules).groups.flatMap(({ rules }) => rules);
const panels = (JSON.parse(read('dashboard.json')) as Dashboard).panels;
const expressions = [
  ...alerts.map(({ alert, expr }) => [alert, expr] as const),
  ...panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => [title, expr] as const)),
];

/** Series by name, with the names of their labels, of a process in which everything happened once. */
let series: ReadonlyMap<string, ReadonlySet<string>>;
beforeAll(async () => {
  series = seriesOf(await figures());
});

describe('every series and label that the files for Prometheus and Grafana use exists', () => {
  test('the files use enough series to be checked', () => {
    expect(alerts.length).toBeGreaterThan(10);
    expect(expressions.length).toBeGreaterThan(30);
  });

  test.each(expressions)('%s: %s', (_, expr) => {
    expect(unknownIn(expr, series)).toEqual([]);
  });

  test('the check finds a name and a label that do not exist', () => {
    const expr =
      'sum by (who) (rate(stancebook_requests_total{status="500"}[5m])) + stancebook_refusals_total{why="x"}';
    const found = ['stancebook_requests_total', 'stancebook_refusals_total{why}', 'by (who)'];
    expect(unknownIn(expr, series)).toEqual(found);
  });
});

describe('an alert and the status of the service name the same trouble after the same time', () => {
  const { lag, restart, sourceSilence, sourceFailures, pegSilence, waiting } = STATUS;
  const stillFor = longestSilence('evaluate-due') + SCHEDULES['evaluate-due'].longest;
  // The time for which a rule must hold, where the figure is no time itself; the bound of the figure otherwise.
  const agreed: readonly (readonly [alert: string, bound: number | null, holds: number | null])[] = [
    ['StancebookDown', 0, restart],
    ['StancebookEvaluationBehind', lag / SECOND, null],
    ['StancebookJobsStill', stillFor / SECOND, null],
    ['StancebookWebhooksBehind', lag / SECOND, null],
    ['StancebookMailsBehind', lag / SECOND, null],
    ['StancebookPoolExhausted', waiting, null],
    ['StancebookSourceFailing', sourceFailures, sourceSilence],
    ['StancebookPegUnknown', (pegSilence - 5 * MINUTE) / SECOND, 5 * MINUTE],
    ['StancebookLogBehind', LOG.includedWithin / SECOND, restart],
  ];

  test.each(agreed)('%s', (name, bound, holds) => {
    const rule = alerts.find(({ alert }) => alert === name);
    expect(Number(/(?:[>]=?|==) (\d+)/.exec(rule?.expr ?? '')?.[1])).toBe(bound);
    if (holds !== null) expect(rule?.for).toBe(`${holds / MINUTE}m`);
  });
});

describe('the note of the newest tree of the evidence log', () => {
  const noteIn = (text: string) => /LOG_LAST_SEEN=(\S+)/.exec(text)?.[1] ?? '';

  test('compose.yaml gives workers alone the key and a volume for the note, which the database does not have', () => {
    const { services } = parse(read('compose.yaml'), { merge: true }) as Compose;
    const folder = dirname(noteIn(readFileSync(join(FOLDER, '../../Dockerfile'), 'utf8')));
    const { api, worker, postgres } = services;
    expect(worker?.secrets).toEqual(['log_key']);
    expect(worker?.environment?.LOG_KEY_FILE).toBe('/run/secrets/log_key');
    expect([api?.secrets, api?.environment?.LOG_KEY_FILE, api?.volumes]).toEqual([undefined, undefined, undefined]);
    expect(worker?.volumes).toEqual([`log-seen:${folder}`]);
    expect(postgres?.volumes).not.toContainEqual(expect.stringContaining('log-seen'));
  });

  test('the systemd unit has a folder for the note apart from DATA_DIR', () => {
    const unit = read('stancebook.service');
    const dataDir = /DATA_DIR=(\S+)/.exec(unit)?.[1] ?? '';
    const folders = /^StateDirectory=(.+)$/m
      .exec(unit)?.[1]
      ?.split(' ')
      .map((name) => `/var/lib/${name}`);
    expect(folders).toEqual([dataDir, dirname(noteIn(unit))]);
  });
});

describe('the passwords of the database in containers', () => {
  const { services } = parse(read('compose.yaml'), { merge: true }) as Compose;
  const variablesOf = (file: string) => [...read(`${file}.example`).matchAll(/^(\w+)=/gm)].map(([, name]) => name);

  test('only PostgreSQL and the container that migrates have those of its superuser and of the owner of the schema', () => {
    expect(variablesOf('postgres.env')).toEqual(
      expect.arrayContaining(['POSTGRES_PASSWORD', 'OWNER_PASSWORD', 'MIGRATION_DATABASE_URL']),
    );
    const holders = Object.keys(services).filter((name) => services[name]?.env_file?.includes('postgres.env'));
    expect(holders).toEqual(['postgres', 'migrate']);
    expect(variablesOf('stancebook.env').filter((name) => /MIGRATION|OWNER|POSTGRES/.test(name ?? ''))).toEqual([]);
  });

  test('the others wait for the migrations, since they cannot run them', () => {
    for (const name of ['api', 'worker']) {
      expect(services[name]?.env_file).toEqual(['stancebook.env']);
      expect(services[name]?.depends_on?.migrate?.condition).toBe('service_completed_successfully');
    }
    expect(services.migrate?.command).toEqual(['stancebook', 'admin', 'migrate']);
  });
});

describe('Prometheus and Grafana in containers', () => {
  const { services, secrets } = parse(read('compose.monitoring.yaml')) as Compose;
  const { services: base } = parse(read('compose.yaml'), { merge: true }) as Compose;
  const scrape = parse(read('prometheus.compose.yaml')).scrape_configs[0];

  test('every file that they mount is there', () => {
    const mounted = Object.values(services).flatMap(({ volumes = [] }) =>
      volumes.map((each) => each.split(':')[0] ?? ''),
    );
    const files = mounted.filter((path) => path.startsWith('./'));
    expect(files).toHaveLength(5);
    expect(files.filter((path) => !existsSync(join(FOLDER, path)))).toEqual([]);
  });

  test('Prometheus scrapes each service at the port that it opens, with the token', () => {
    const [{ names, port }] = scrape.dns_sd_configs;
    const opened = [services.api, base.worker].map((service) => service?.environment?.METRICS_PORT);
    expect([names, opened]).toEqual([
      ['api', 'worker'],
      [`${port}`, `${port}`],
    ]);
    const [token] = services.prometheus?.secrets ?? [];
    expect(scrape.authorization.credentials_file).toBe(`/run/secrets/${token}`);
    expect(Object.keys(secrets ?? {})).toContain(token);
  });

  test('Grafana reads from Prometheus, and finds the dashboard in the folder that it looks in', () => {
    expect(parse(read('grafana/datasource.yaml')).datasources[0].url).toBe('http://prometheus:9090');
    const { path } = parse(read('grafana/dashboards.yaml')).providers[0].options;
    expect(services.grafana?.volumes).toContainEqual(expect.stringContaining(`dashboard.json:${path}/`));
  });
});

interface Compose {
  readonly secrets?: Readonly<Record<string, object>>;
  readonly services: Readonly<
    Record<
      string,
      {
        readonly command?: readonly string[];
        readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
        readonly env_file?: readonly string[];
        readonly environment?: Readonly<Record<string, string>>;
        readonly secrets?: readonly string[];
        readonly volumes?: readonly string[];
      }
    >
  >;
}

function unknownIn(expr: string, known: typeof series): readonly string[] {
  const faults: string[] = [];
  for (const [, name = '', matchers = ''] of expr.matchAll(/\b((?:stancebook|nodejs|process)_\w+)(?:\{([^}]*)\})?/g)) {
    const labels = known.get(name);
    if (!labels) faults.push(name);
    const matched = [...matchers.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, label = '']) => label);
    for (const label of matched) if (labels && ![...GIVEN, ...labels].includes(label)) faults.push(`${name}{${label}}`);
  }
  const all = new Set([...GIVEN, ...[...known.values()].flatMap((labels) => [...labels])]);
  for (const [, list = ''] of expr.matchAll(/\bby \(([^)]*)\)/g)) {
    for (const label of list.split(/,\s*/)) if (!all.has(label)) faults.push(`by (${label})`);
  }
  return faults;
}

function seriesOf(text: string): typeof series {
  const lines = text.split('\n').flatMap((line) => [...line.matchAll(/^([a-z]\w*)(?:\{(.*)\})? /g)]);
  const names = lines.map(([, name = '', labels = '']) => {
    return [name, new Set([...labels.matchAll(/(\w+)="/g)].map(([, label = '']) => label))] as const;
  });
  return new Map(names);
}

async function figures(): Promise<string> {
  const storage = openMemory();
  const circuits = { ...storage.circuits, all: async () => [aCircuit({ peg: aPeg(3, new Date()) })] };
  const tally = marketTally();
  await tally
    .counted({ describe: async () => null, coverage: async () => [], bars: () => Promise.reject(new Error()) })
    .describe({} as never);
  const cache = { ...storage.barCache, find: async () => [] };
  await tally.countedCache(cache).find({ source: 'kraken', size: '1m' } as never, 0, 1);
  const sources = () => [
    {
      source: 'okx',
      state: 'paused',
      failures: 7,
      last_error: null,
      last_error_at: null,
      last_success_at: null,
    } as const,
  ];
  const pool = () => ({ in_use: 1, idle: 1, waiting: 0 });
  const reads = () => [{ answered_by: 'primary', reason: 'behind', count: 1 } as const];
  const replica = { reads, lag: async () => 1 };
  const vkey = vkeyText(aSigner('witness.test', COSIGNATURE, 2).key);
  const metrics = createMetrics(
    { ...storage, circuits },
    {
      sources,
      market: tally,
      pool,
      replica,
      signing: () => 'guarded',
      disk: { report: () => ({ state: 'ok', free_bytes: 1 }) },
      dataSnapshots: { licence: 'CC0-1.0' },
      streams: () => ({ open: 1, ended: { client: 1 } as never, refused: 1 }),
      forwarding: () => ({ waiting: 1, sent: 1, lost: { full: 0, refused: 0, rejected: 0 } }),
      logPolicy: policyOf(policyText({ W: { vkey, url: 'http://witness.test' } }), sha256),
    },
  );
  metrics.served({
    request_id: 'r',
    method: 'GET',
    route: '/',
    status: 429,
    duration_ms: 1,
    code: 'RATE_LIMIT_EXCEEDED',
  });
  const intake = { ...storage.intake, submit: async () => ({ verdict: 'key_revoked' }) as const };
  const sender = { send: async () => ({ outcome: 'accepted' }) as const, check: async () => null };
  await metrics.countedMails(sender)?.send({} as never);
  await metrics.countedIntake(intake).submit({} as never);
  const ended = { record_id: 'dec', token: 't', result: { kind: 'evaluated' }, retry_at: null };
  const held = { token: 't', decision: { settles_at: new Date(0), submission_time: new Date(0) } };
  const evaluations = {
    ...storage.evaluations,
    claimDue: async () => [held] as never,
    endEvaluations: async () => ['dec'],
  };
  const counted = metrics.countedEvaluations(evaluations);
  await counted.claimDue(new Date(), new Date(), 1);
  await counted.endEvaluations([ended as never], new Date());
  const jobs = Object.fromEntries(JOBS.map((job) => [job, async () => undefined])) as Record<Job, () => Promise<void>>;
  await metrics.countedSweeps(jobs)['evaluate-due']();
  return metrics.text();
}
