import { QUEUES } from '../../adapters/jobs/migrate-jobs.ts';
import type { Sweeps } from '../../adapters/jobs/sweep.ts';
import { type Breaker, breaker } from '../../adapters/market/source-state.ts';
import { readStatus } from '../../application/operators/read-status.ts';
import { JOBS, type Job, type JobQueues } from '../../domain/jobs.ts';
import { SOURCE_REPORTS } from '../../domain/limits.ts';
import type { SourceReport } from '../../domain/market/source-health.ts';
import { MINUTE, type Millis } from '../../domain/time.ts';
import { type JobNotes, jobNotes } from '../../infrastructure/background/process-reports.ts';
import { composeSweeps } from '../../infrastructure/compose/compose-sweeps.ts';
import { aProcess } from '../builders/processes.ts';
import { openService, type StorageName, type TestService } from './service.ts';

/** What goes wrong at this moment; a test changes it. */
export interface FleetFaults {
  /** Jobs whose schedule does not run. */
  readonly unscheduled: Set<Job>;
  /** Jobs whose requests no process takes. */
  readonly untaken: Set<Job>;
  /** Jobs whose runs do not end. */
  readonly hanging: Set<Job>;
  /** Jobs whose runs fail. */
  readonly failing: Set<Job>;
  /** Jobs whose run gives no sign of life. */
  readonly silent: Set<Job>;
  /** Sources that do not answer, with the words of the failure. */
  readonly down: Map<string, string>;
  /** Sources that answer without a price. */
  readonly priceless: Set<string>;
  signing: 'guarded' | 'stopped' | null;
  waiting: number;
}

/** Processes of a service on a clock of their own: they report, ask sources, and run the real sweeps by their schedules. */
export interface Fleet {
  readonly service: TestService;
  readonly faults: FleetFaults;
  now(): Date;
  start(name: string, does: 'jobs' | 'requests' | 'both'): Promise<void>;
  /** In order. */
  end(name: string): Promise<void>;
  /** Without a last word. */
  kill(name: string): void;
  /** The next minute; then the problems of the service, each as `part: text`. */
  minute(): Promise<readonly string[]>;
  close(): Promise<void>;
}

interface Member {
  readonly name: string;
  readonly does: 'jobs' | 'requests' | 'both';
  readonly started_at: Date;
  readonly notes: JobNotes;
  readonly sweeps: Sweeps;
  readonly guards: ReadonlyMap<string, Breaker>;
}

const SOURCES = ['peg-kraken', 'peg-coinbase', 'peg-bitstamp', 'peg-gemini'];

export async function openFleet(storage: StorageName, at: Date): Promise<Fleet> {
  let time = at.getTime();
  const now = () => new Date(time);
  const faults: FleetFaults = {
    unscheduled: new Set(),
    untaken: new Set(),
    hanging: new Set(),
    failing: new Set(),
    silent: new Set(),
    down: new Map(),
    priceless: new Set(),
    signing: null,
    waiting: 0,
  };
  const requests = new Map<Job, Date[]>();
  const active = new Map<Job, Date>();
  const members = new Map<string, Member>();
  const service = await openService(storage, {
    at,
    env: { DATA_SNAPSHOTS: 'monthly', DATA_SNAPSHOTS_LICENCE: 'CC0-1.0' },
    ports: ({ settings }) => ({
      jobQueues: queuesOf(requests, active, faults),
      pegSource: { quotes: async () => quotesOf(faults, now()) },
      settings: { ...settings, watchesPegs: true, expectsBackups: true },
    }),
  });
  const real = composeSweeps(service.ports);
  const sweeps = mapJobs((job) => async () => {
    if (faults.failing.has(job)) throw Object.assign(new Error('planted'), { code: 'PLANTED' });
    while (faults.hanging.has(job)) await new Promise((resolve) => setImmediate(resolve));
    return real[job]();
  });

  async function report({ name, does, started_at, notes, guards }: Member): Promise<void> {
    const parts = { answers_requests: does !== 'jobs', runs_jobs: does !== 'requests' };
    const connections = { in_use: 1, idle: 2, waiting: faults.waiting };
    const signing = parts.runs_jobs ? faults.signing : null;
    const state = aProcess({ process: name, ...parts, started_at, connections, signing, running: notes.running() });
    await service.ports.processes.report(state, notes.take(), now());
    await service.ports.sourceHealth.record(name, [...guards].map(reportOf), now());
  }

  function reportOf([source, guard]: readonly [string, Breaker]): SourceReport {
    const last_error = faults.down.get(source) ?? null;
    return { source, serves: 'USDT, USDC', last_error, ...guard.health(time) };
  }

  function askSources({ guards }: Member): void {
    for (const [source, guard] of guards) {
      if (!guard.admits(time)) continue;
      if (faults.down.has(source)) guard.failed(time);
      else guard.succeeded(time);
    }
  }

  async function run(member: Member, job: Job): Promise<void> {
    requests.delete(job);
    active.set(job, now());
    const ended = member.sweeps[job]().then(
      (result) => ({ next: result?.next }),
      () => ({ next: undefined }),
    );
    if (job === 'observe-pegs') askSources(member);
    if (faults.hanging.has(job)) return void ended.then(() => active.delete(job));
    const { next } = await ended;
    active.delete(job);
    if (next !== undefined && next.getTime() > time) requests.set(job, [next]);
  }

  async function runDue(): Promise<void> {
    const [worker] = [...members.values()].filter(({ does }) => does !== 'requests');
    if (worker === undefined) return;
    const isDue = (job: Job) => (requests.get(job) ?? []).some((due) => due <= now());
    for (const job of JOBS) if (isDue(job) && !active.has(job) && !faults.untaken.has(job)) await run(worker, job);
  }

  function schedule(): void {
    const [minute] = [now().getUTCMinutes()];
    const isNow = (job: Job) => ['*', String(minute)].includes(QUEUES[job].cron.split(' ')[0] ?? '');
    if (![...members.values()].some(({ does }) => does !== 'requests')) return;
    for (const job of JOBS) if (isNow(job) && !faults.unscheduled.has(job)) request(job);
  }

  function request(job: Job): void {
    requests.set(job, [...(requests.get(job) ?? []), now()]);
  }

  async function pass(millis: Millis): Promise<void> {
    time += millis;
    await service.arrange.freeze(now());
  }

  return {
    service,
    faults,
    now,
    async start(name, does) {
      const notes = jobNotes(now);
      const guards = new Map(does === 'requests' ? [] : SOURCES.map((source) => [source, breaker()] as const));
      const member = { name, does, started_at: now(), notes, sweeps: notes.notedSweeps(sweeps), guards };
      members.set(name, member);
      await report(member);
      if (does !== 'requests') JOBS.forEach(request);
    },
    async end(name) {
      const member = members.get(name);
      members.delete(name);
      await service.ports.processes.end(name, member?.notes.take() ?? []);
      await service.ports.sourceHealth.record(name, [], now());
    },
    kill: (name) => void members.delete(name),
    async minute() {
      schedule();
      for (let step = 0; step < MINUTE / SOURCE_REPORTS.every; step += 1) {
        await runDue();
        for (const member of members.values()) await report(member);
        await pass(SOURCE_REPORTS.every);
        // Runs that have hung until now go on, also on a storage that answers within the turn.
        for (let turn = 0; turn < 2; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      }
      const { problems } = await readStatus(service.ports);
      return problems.map(({ part, problem }) => `${part}: ${problem}`);
    },
    async close() {
      faults.hanging.clear();
      await service.close();
    },
  };
}

function queuesOf(
  requests: ReadonlyMap<Job, readonly Date[]>,
  active: ReadonlyMap<Job, Date>,
  { silent }: FleetFaults,
): JobQueues {
  const oldest = (times: readonly Date[]) => times.toSorted((a, b) => Number(a) - Number(b))[0] ?? null;
  return {
    states: async () =>
      JOBS.map((job) => {
        const waiting = requests.get(job) ?? [];
        const active_since = active.get(job) ?? null;
        const queued = { waiting: waiting.length, waiting_since: oldest(waiting) };
        return { job, ...queued, active: active_since ? 1 : 0, active_since, silent: silent.has(job) ? 1 : 0 };
      }),
  };
}

function quotesOf({ down, priceless }: FleetFaults, at: Date) {
  const answering = SOURCES.filter((source) => !down.has(source) && !priceless.has(source));
  return answering.map((source) => ({ source, price: 1, at }));
}

function mapJobs(of: (job: Job) => Sweeps[Job]): Sweeps {
  return Object.fromEntries(JOBS.map((job) => [job, of(job)])) as Sweeps;
}
