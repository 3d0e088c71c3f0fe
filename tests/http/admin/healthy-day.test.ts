import { afterEach, describe, expect, test } from '@jest/globals';
import { readStatus } from '../../../application/operators/read-status.ts';
import { JOBS } from '../../../domain/jobs.ts';
import { HOUR, MINUTE } from '../../../domain/time.ts';
import { aSubmission } from '../../builders/decisions.ts';
import { anAgentAt } from '../../harness/callers.ts';
import { type Fleet, openFleet } from '../../harness/simulated-fleet.ts';

/** A Monday within the packaged prices of MSFT; its midnight is that of a month. */
const MONDAY = new Date('2014-06-30T12:00:00.000Z');
const MSFT = {
  market: 'stock',
  symbol: 'MSFT',
  venue: 'NASDAQ',
  horizon_kind: 'trading_days',
  horizon_value: 1,
} as const;

let fleet: Fleet;
afterEach(() => fleet.close());

/** What happens at which minute of the day, and is no reason to do anything. */
const EVENTS: readonly (readonly [minute: number, happens: () => Promise<unknown> | unknown])[] = [
  [60, submit],
  [90, () => fleet.faults.down.set('peg-kraken', 'answered 503')],
  [110, () => fleet.faults.down.clear()],
  [120, () => cutNetwork('gave no answer: EAI_AGAIN')],
  [124, () => fleet.faults.down.clear()],
  // A run that takes long, while requests for the next one arrive.
  [130, () => fleet.faults.hanging.add('evaluate-due')],
  [143, () => fleet.faults.hanging.clear()],
  [150, () => fleet.faults.hanging.add('publish-dataset')],
  [212, () => fleet.faults.hanging.clear()],
  // Restarts: of a node, of the only worker, and of one that was killed.
  [240, () => fleet.end('api:1')],
  [241, () => fleet.start('api:3', 'requests')],
  [300, () => fleet.end('worker:1')],
  [301, () => fleet.start('worker:2', 'jobs')],
  [382, () => fleet.kill('worker:2')],
  [383, () => fleet.start('worker:3', 'jobs')],
  [400, () => fleet.kill('api:2')],
  [401, () => fleet.start('api:4', 'requests')],
  [420, backUp],
  // A worker is rolled: the next one begins before it ends.
  [800, () => fleet.start('worker:4', 'jobs')],
  [801, () => fleet.end('worker:3')],
];

async function submit(): Promise<void> {
  await (await anAgentAt(fleet.service)).submit(aSubmission(fleet.now(), MSFT));
}

function cutNetwork(words: string): void {
  for (const exchange of ['kraken', 'coinbase', 'bitstamp', 'gemini']) fleet.faults.down.set(`peg-${exchange}`, words);
}

async function backUp(): Promise<void> {
  const entry = { actor: 'command line: root', action: 'backup', subject: 'backup', detail: {} };
  await fleet.service.ports.transaction(({ audit }) => audit.append(entry));
}

async function firstStart(): Promise<void> {
  await fleet.start('api:1', 'requests');
  await fleet.start('api:2', 'requests');
}

/** Problems, with the minute in which each was named. */
async function watched(from: number, until: number): Promise<string[]> {
  const named: string[] = [];
  for (let minute = from; minute < until; minute += 1) {
    for (const [at, happens] of EVENTS) if (at === minute) await happens();
    named.push(...(await fleet.minute()).map((problem) => `${minute}: ${problem}`));
  }
  return named;
}

test('a healthy day has no problem in any minute, from the first start over midnight into the next month', async () => {
  fleet = await openFleet('memory', MONDAY);
  await firstStart();
  const before = await watched(0, 1);
  await fleet.start('worker:1', 'jobs');
  expect([...before, ...(await watched(1, 1_441))]).toEqual([]);
  expect(await fleet.service.ports.datasets.find('2014-07')).not.toBeNull();
});

test('a healthy half an hour around that midnight has none on PostgreSQL', async () => {
  fleet = await openFleet('postgres', new Date(MONDAY.getTime() + 11 * HOUR + 55 * MINUTE));
  await firstStart();
  await fleet.start('worker:1', 'jobs');
  await submit();
  await backUp();
  expect(await watched(0, 30)).toEqual([]);
  expect(await fleet.service.ports.datasets.find('2014-07')).not.toBeNull();
});

interface Planted {
  readonly plant: () => unknown;
  /** Minutes in which it is no problem yet. */
  readonly allowed: number;
  readonly problem: RegExp;
}

const PLANTS: Readonly<Record<string, Planted>> = {
  'no process that runs jobs': {
    plant: () => fleet.kill('worker:1'),
    allowed: 2,
    problem: /^processes: No process runs jobs: .* worker:1, which runs jobs, has not reported since/,
  },
  'a worker that ended in order and is not started again': {
    plant: () => fleet.end('worker:1'),
    allowed: 2,
    problem: /^processes: No process runs jobs: nothing is verified, graded or sent\.$/,
  },
  'two nodes that were killed': {
    plant: () => ['api:1', 'api:2'].map(fleet.kill),
    allowed: 2,
    problem: /^processes: 2 processes do not report: api:/,
  },
  'a schedule that does not run': {
    plant: () => JOBS.map((job) => fleet.faults.unscheduled.add(job)),
    allowed: 5,
    problem: /^jobs: verify-instruments has not run since .* The same holds for 11 more: evaluate-due, /,
  },
  'an hourly job that does not run': {
    plant: () => fleet.faults.unscheduled.add('publish-dataset'),
    allowed: 121,
    problem: /^jobs: publish-dataset has not run since 2014-06-30T12:23:00Z\.$/,
  },
  'requests that no process takes': {
    plant: () => fleet.faults.untaken.add('send-mails'),
    allowed: 5,
    problem: /^jobs: \d+ requests for send-mails wait since/,
  },
  'a run that does not end': {
    plant: () => fleet.faults.hanging.add('deliver-webhooks'),
    allowed: 5,
    problem: /^jobs: deliver-webhooks has been running since/,
  },
  'a run of a job that may take long': {
    plant: () => fleet.faults.hanging.add('keep-log'),
    allowed: 15,
    problem: /^jobs: keep-log has been running since/,
  },
  'a run whose process is dead': {
    plant: () => (['hanging', 'silent'] as const).map((how) => fleet.faults[how].add('build-atlas')),
    allowed: 0,
    problem: /^jobs: A run of build-atlas began at .* no sign of life\.$/,
  },
  'jobs that fail': {
    plant: () => (['prune-expired', 'erase-owners'] as const).map((job) => fleet.faults.failing.add(job)),
    allowed: 2,
    problem:
      /^jobs: The last \d+ runs of prune-expired failed, .*: PLANTED\. The same holds for 1 more: erase-owners\.$/,
  },
  'no network': {
    plant: () => cutNetwork('gave no answer: ENOTFOUND'),
    allowed: 5,
    problem: /^sources: No network: none of the 4 sources .* in worker:1 has answered since .* \(ENOTFOUND\)\.$/,
  },
  'a source that fails': {
    plant: () => fleet.faults.down.set('peg-kraken', 'answered 503'),
    allowed: 30,
    problem: /^sources: peg-kraken .* failures: answered 503\.$/,
  },
  'stablecoins without a price': {
    plant: () => ['peg-kraken', 'peg-coinbase', 'peg-gemini'].map((source) => fleet.faults.priceless.add(source)),
    allowed: 10,
    problem: /^circuits: There is no fresh price of USDT and USDC\.$/,
  },
  'a log that is not signed': {
    plant: () => {
      fleet.faults.signing = 'stopped';
    },
    allowed: 0,
    problem: /^log: worker:1 does not sign the evidence log\.$/,
  },
  'requests that wait for a connection': {
    plant: () => {
      fleet.faults.waiting = 21;
    },
    allowed: 0,
    problem: /^database: 21 requests of .* wait for a connection/,
  },
};

describe.each(Object.entries(PLANTS))('%s', (_name, { plant, allowed, problem }) => {
  test(`is one problem after ${allowed} minutes, and no other`, async () => {
    fleet = await openFleet('memory', MONDAY);
    await firstStart();
    await fleet.start('worker:1', 'jobs');
    for (let minute = 0; minute < 25; minute += 1) expect(await fleet.minute()).toEqual([]);
    await plant();
    for (let minute = 1; minute < allowed; minute += 1) expect([minute, await fleet.minute()]).toEqual([minute, []]);
    // The status is read at the end of a minute, and a sign of life may be a minute old.
    await fleet.minute();
    for (let minute = 0; minute < 10; minute += 1)
      expect(await fleet.minute()).toEqual([expect.stringMatching(problem)]);
  });
});

test('a calendar in use that ends is a problem from the tenth day before on, by the days of its venue', async () => {
  fleet = await openFleet('memory', MONDAY);
  const { transaction } = fleet.service.ports;
  const known = (venue: string) => ({ market: 'stock', symbol: 'X', venue, asset_class: 'spot', quote_currency: 'X' });
  const verified = { status: 'verified', listing: null, checked_at: MONDAY, retry_at: null, attempts: 0 } as const;
  const named = async (at: string) => {
    await fleet.service.arrange.freeze(new Date(at));
    const { problems } = await readStatus(fleet.service.ports);
    return problems.filter(({ part }) => part === 'calendars').map(({ problem }) => problem);
  };
  expect(await named('2027-03-01T00:00:00Z')).toEqual([]);
  for (const venue of ['NASDAQ', 'ASX', 'HKEX'])
    await transaction(({ instruments }) =>
      instruments.put({
        ...verified,
        instrument: { ...known(venue), market: 'stock', asset_class: 'spot' },
        last_error: null,
      }),
    );
  expect(await named('2026-12-20T12:59:59Z')).toEqual([]);
  expect(await named('2026-12-20T13:00:00Z')).toEqual(['No session is known of ASX after 2026-12-31.']);
  const both = ['No session is known of HKEX after 2026-12-31; ASX after 2026-12-31.'];
  expect([await named('2026-12-20T16:00:00Z'), await named('2028-12-20T00:00:00Z')]).toEqual([both, both]);
});

test('no backup is a problem a day after the first decision, and an old one after 8 days', async () => {
  fleet = await openFleet('memory', MONDAY);
  await fleet.start('a:1', 'both');
  await submit();
  const named = async (at: number) => {
    await fleet.service.arrange.freeze(new Date(MONDAY.getTime() + at));
    const { problems } = await readStatus(fleet.service.ports);
    return problems.filter(({ part }) => part === 'backups').map(({ problem }) => problem);
  };
  expect(await named(24 * HOUR)).toEqual([]);
  expect(await named(24 * HOUR + MINUTE)).toEqual([expect.stringMatching(/^No backup was ever made/)]);
  await backUp();
  expect(await named(9 * 24 * HOUR + MINUTE)).toEqual([]);
  expect(await named(9 * 24 * HOUR + 2 * MINUTE)).toEqual(['The last backup was made at 2014-07-01T12:01:00Z.']);
});
