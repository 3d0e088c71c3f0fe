import { batcher } from '../../../adapters/postgres/kit/batcher.ts';
import { openDataSource, poolSql } from '../../../adapters/postgres/kit/data-source.ts';
import type { Sql } from '../../../adapters/postgres/kit/sql.ts';
import { postgresAdmission } from '../../../adapters/postgres/quotas/admission-desk.ts';
import { hashOfKey } from '../../../application/accounts/keys/issue-key.ts';
import type { AdmissionDesk, AdmissionRequest, Spend } from '../../../domain/quotas/admission.ts';
import { CONNECTIONS } from './calls.ts';
import { cpuDuring } from './cpu.ts';
import type { Measured } from './measured.ts';
import { type Extent, inRounds } from './rounds.ts';
import { contendersOf } from './scenarios.ts';
import type { Stage } from './stage.ts';

/**
 * The cost of a request's credential, rate windows and daily pool, compared with one statement per request and with a
 * complete request over HTTP; as lines. All are measured in one run, on one durable database, with 64 callers at once.
 */
export async function benchLimits(stage: Stage, extent: Extent): Promise<string> {
  const source = await openDataSource({ url: stage.database.serviceUrl, poolSize: 10 });
  try {
    const ways = [...contenders(poolSql(source), stage)].map(([name, measure]) => ({ name, measure }));
    return report(await inRounds(ways, extent));
  } finally {
    await source.destroy();
  }
}

const STATEMENT = 'one counter, a statement for each request';
const CREDENTIAL = 'credential alone, batched';
const WINDOWS = 'credential and both windows';
const POOL = 'credential, both windows and a pool';
const UNBATCHED = 'the same, a statement for each request';
const REQUEST = 'a complete request: GET of a record over HTTP';

function contenders(sql: Sql, stage: Stage): ReadonlyMap<string, (seconds: number) => Promise<Measured>> {
  const [service] = contendersOf('read', stage, null);
  if (!service) throw new Error('The contenders do not include the service.');
  const hashes = stage.population.agents.map(({ key }) => hashOfKey(key));
  const callers = (admit: (key_hash: Uint8Array) => Promise<unknown>) => (seconds: number) =>
    measureCallers(stage, seconds, () => admit(hashes[Math.floor(Math.random() * hashes.length)] ?? new Uint8Array()));
  const [desk, unbatched] = [{}, { most: 1, atOnce: 10 }].map((options) =>
    admitting(postgresAdmission(sql, { noteTime: () => undefined, newest: () => null }, options)),
  ) as [Admitting, Admitting];
  return new Map([
    [STATEMENT, callers((key_hash) => sql.rows(COUNT, [Buffer.from(key_hash).toString('hex')], 'bench count'))],
    [CREDENTIAL, callers(credentials(sql))],
    [WINDOWS, callers((key_hash) => desk(requestOf(key_hash, null)))],
    [POOL, callers((key_hash) => desk(requestOf(key_hash, ONE_READ)))],
    [UNBATCHED, callers((key_hash) => unbatched(requestOf(key_hash, ONE_READ)))],
    [REQUEST, (seconds) => service.measure(seconds)],
  ]);
}

type Admitting = (request: AdmissionRequest) => Promise<void>;

function admitting(desk: AdmissionDesk): Admitting {
  return async (request) => {
    const { verdict } = await desk.admit(request);
    if (verdict !== 'admitted') throw new Error(`A request was refused: ${verdict}`);
  };
}

const MANY = 1_000_000_000;
const ONE_READ: Spend = { pool: 'read', record_id: null, base: MANY, units: 1 };

function requestOf(key_hash: Uint8Array, spend: Spend | null): AdmissionRequest {
  const callerLimits = { per_second: MANY, per_minute: MANY };
  const proof = { credential: 'api_key', key_hash } as const;
  return { proof, from: '192.0.2.1', callerLimits, address: 'address bench', addressPerMinute: MANY, spend };
}

/** The minimum cost of a limit without batches: one statement that reads and writes one row. */
const COUNT = `
  insert into app.rate_windows as w (subject, second_start, second_used, minute_start, minute_used)
  values ('bench ' || $1, date_trunc('second', app.now()), 1, date_trunc('minute', app.now()), 1)
  on conflict (subject) do update set minute_used = w.minute_used + 1`;

/** Looks up credentials in batches, without counting anything. */
function credentials(sql: Sql): (key_hash: Uint8Array) => Promise<unknown> {
  return batcher<Uint8Array, object>({
    most: 64,
    atOnce: 1,
    async run(hashes) {
      const rows = await sql.rows<{ hash: string }>(LOOK_UP, [hashes], 'bench credentials');
      const found = new Map(rows.map((row) => [row.hash, row]));
      return hashes.map((hash) => found.get(Buffer.from(hash).toString('hex')) ?? {});
    },
  });
}

const LOOK_UP = `
  select encode(k.key_hash, 'hex') as hash, k.owner_id, k.agent_id, k.key_prefix, k.permission_mode, o.tier,
    app.now() as at
  from app.api_keys k join app.owners o on o.owner_id = k.owner_id
  where k.key_hash = any($1::bytea[]) and k.revoked_at is null`;

/** Measures callers who each send the next request when the last is answered. */
async function measureCallers(stage: Stage, seconds: number, send: () => Promise<unknown>): Promise<Measured> {
  const waits: number[] = [];
  const end = performance.now() + seconds * 1_000;
  const caller = async () => {
    for (let begin = performance.now(); begin < end; begin = performance.now()) {
      await send();
      waits.push(performance.now() - begin);
    }
  };
  const [, cpu] = await cpuDuring([process.pid, stage.database.pid], () =>
    Promise.all(Array.from({ length: CONNECTIONS }, caller)),
  );
  const sorted = waits.sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
  return { perSecond: sorted.length / seconds, p50: at(0.5), p99: at(0.99), cpu: cpu / sorted.length };
}

function report(results: ReadonlyMap<string, Measured>): string {
  const cpuOf = (way: string) => results.get(way)?.cpu ?? Number.NaN;
  const width = Math.max(...[...results.keys()].map((way) => way.length));
  const rows = [...results].map(([way, { perSecond, p50, p99, cpu }]) =>
    [
      way.padEnd(width),
      ...[perSecond.toFixed(0), p50.toFixed(1), p99.toFixed(1), cpu.toFixed(0)].map((each) => each.padStart(10)),
    ].join(' '),
  );
  const head = ['', 'per second', 'p50 ms', 'p99 ms', 'CPU us'];
  const shares = [WINDOWS, POOL].flatMap((way) => {
    const limits = cpuOf(way) - cpuOf(CREDENTIAL);
    return [
      `${way}: all limits ${limits.toFixed(0)} us`,
      `  of one counter with a statement for each request ${(limits / cpuOf(STATEMENT)).toFixed(2)}`,
      `  of the same with a statement for each request ${(limits / cpuOf(UNBATCHED)).toFixed(2)}`,
      `  of a complete request ${(limits / cpuOf(REQUEST)).toFixed(2)}`,
    ];
  });
  return [
    head.map((name, i) => (i === 0 ? name.padEnd(width) : name.padStart(10))).join(' '),
    ...rows,
    '',
    ...shares,
  ].join('\n');
}
