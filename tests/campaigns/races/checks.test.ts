import { describe, expect, test } from '@jest/globals';
import { checkCredits } from './check/credits.ts';
import { checkHeaders } from './check/headers.ts';
import { checkPools } from './check/pools.ts';
import { checkRevocations } from './check/revocations.ts';
import { checkSubmissions } from './check/submissions.ts';
import { checkWindows } from './check/windows.ts';
import type { Exchange, FinalState, History } from './history.ts';

// Each check gets a sound history, and histories with violations that it must find.

const LIMITS = {
  ratePerSecond: 3,
  ratePerMinute: 5,
  addressPerMinute: 4,
  queryPerDay: 2,
  readPerDay: 2,
  checkPerDecision: 2,
};
/** The start of a minute. */
const MINUTE = 1_800_000_000;
const MIDNIGHT = 1_800_057_600;
const EMPTY: FinalState = { pools: [], ledger: [], records: [] };

function history(exchanges: readonly Exchange[], changes: Partial<History> = {}): History {
  return { limits: LIMITS, exchanges, revocations: [], finalisations: [], final: EMPTY, ...changes };
}

/** An admitted request `at` seconds after `MINUTE`; `reset` is the end of its window in the same way. */
function admitted(at: number, remaining: number, reset: number, changes: Partial<Exchange> = {}): Exchange {
  const started = (MINUTE + at) * 1_000;
  return {
    node: 0,
    started,
    ended: started + 5,
    key_prefix: 'sbk_Aaaaaaaa',
    address: '198.51.100.1',
    owner_id: 'owner',
    agent_id: 'agent',
    pool: null,
    record_id: null,
    submission: null,
    status: 200,
    code: null,
    retry_after_seconds: null,
    replied_record: null,
    ...changes,
    headers: {
      'x-request-id': 'r',
      'x-ratelimit-limit': '5',
      'x-ratelimit-remaining': String(remaining),
      'x-ratelimit-reset': String(MINUTE + reset),
      'x-quota-resource': 'none',
      'x-quota-remaining': 'unlimited',
      'x-quota-limit': 'unlimited',
      'x-quota-reset': String(MIDNIGHT),
      ...changes.headers,
    },
  };
}

function refused(at: number, reset: number): Exchange {
  const wait = Math.ceil(reset - at);
  return admitted(at, 0, reset, {
    status: 429,
    code: 'RATE_LIMIT_EXCEEDED',
    retry_after_seconds: wait,
    headers: { 'retry-after': String(wait) },
  });
}

describe('windows', () => {
  // Three in the first second; two more in the third, with which the minute is full.
  const sound = [
    admitted(0.1, 2, 1),
    admitted(0.2, 1, 1),
    admitted(0.3, 0, 1),
    refused(0.4, 1),
    admitted(2.1, 1, 60),
    admitted(2.2, 0, 60),
    refused(2.3, 60),
  ];

  test('that are full, and no fuller, are sound', () => {
    expect(checkWindows(history(sound))).toEqual([]);
  });

  test.each([
    ['one too many in a minute', [...sound, admitted(5.1, 0, 60, { node: 1 })]],
    ['one too many in a second', [...sound.slice(0, 3), admitted(0.5, 3, 1)]],
    ['one too many in a second when the headers show the minute', [...sound.slice(0, 3), admitted(0.5, 1, 60)]],
    ['the same remaining number twice', [admitted(0.1, 2, 1), admitted(0.2, 2, 1)]],
    ['a refusal while the window had room', [admitted(0.1, 2, 1), refused(0.4, 1)]],
    ['a refusal beyond the window', [...sound, admitted(60.1, 2, 61), refused(60.2, 120)]],
  ])('%s is found', (_, exchanges) => {
    expect(checkWindows(history(exchanges)).length).toBeGreaterThan(0);
  });

  test('a revoked key is counted by its address', () => {
    const guess = (at: number, remaining: number) =>
      admitted(at, remaining, 60, { status: 401, code: 'UNAUTHORIZED', headers: { 'x-ratelimit-limit': '4' } });
    const four = [0, 1, 2, 3].map((n) => guess(0.1, 3 - n));
    expect(checkWindows(history(four))).toEqual([]);
    expect(checkWindows(history([...four, guess(9.1, 0)]))).not.toEqual([]);
  });
});

describe('pools', () => {
  const read = (at: number, changes: Partial<Exchange> = {}) => admitted(at, 9, 60, { pool: 'read', ...changes });
  const missing = (at: number) => read(at, { status: 404, code: 'NOT_FOUND' });
  const empty = (at: number) => read(at, { status: 429, code: 'DAILY_QUOTA_EXCEEDED' });
  const day = '2027-01-15';
  const used = (count: number, credit = 0, pool: 'read' | 'query' = 'read') => {
    const row = { owner_id: 'owner', day, pool, record_id: '', used: count, credit };
    return { final: { ...EMPTY, pools: [row] } };
  };

  test('that are emptied, and no more, are sound', () => {
    expect(checkPools(history([read(1), missing(2), read(3), empty(4)], used(2)))).toEqual([]);
  });

  test('a unit that is taken during a refusal and returned explains it', () => {
    expect(checkPools(history([read(1), missing(4), empty(4.001)], used(1)))).toEqual([]);
    expect(checkPools(history([read(1), missing(3), empty(4)], used(1)))).not.toEqual([]);
  });

  test.each([
    ['one served too many', [read(1), read(2), read(3)], used(3)],
    ['a served unit that is not stored', [read(1), read(2)], used(1)],
    ['a unit that was never returned', [read(1), missing(2)], used(2)],
    ['a refusal while there were units', [read(1), empty(2)], used(1)],
  ])('%s is found', (_, exchanges, changes) => {
    expect(checkPools(history(exchanges, changes)).length).toBeGreaterThan(0);
  });

  test('credit from before the refusal counts, later credit does not', () => {
    const query = (at: number, changes: Partial<Exchange> = {}) => admitted(at, 9, 60, { pool: 'query', ...changes });
    const none = query(4, { status: 429, code: 'DAILY_QUOTA_EXCEEDED' });
    const earned = (at: number) => {
      const time = (MINUTE + at) * 1_000;
      return [{ started: time, ended: time + 1, records: [{ record_id: 'r', owner_id: 'owner' }] }];
    };
    const seen = [query(1), query(2), none];
    const changes = used(2, 10, 'query');
    expect(checkPools(history(seen, { ...changes, finalisations: earned(5) }))).toEqual([]);
    expect(checkPools(history(seen, { ...changes, finalisations: earned(3) }))).not.toEqual([]);
  });
});

describe('submissions', () => {
  const accepted = (replied_record: string, changes: Partial<Exchange> = {}) => {
    const submission = { symbol: 'BTC', direction: 'bullish', idempotency_key: 'k' } as const;
    return admitted(1, 1, 60, { status: 201, submission, replied_record, ...changes });
  };
  const replayed = { headers: { 'idempotency-replayed': 'true' } };
  const stored = (...ids: string[]) => {
    const records = ids.map((record_id, n) => ({ record_id, agent_id: 'agent', call: `crypto BTC ${n}` }));
    return { final: { ...EMPTY, records } };
  };

  test('of one key that are replays of one record are sound', () => {
    expect(checkSubmissions(history([accepted('a'), accepted('a', replayed)], stored('a')))).toEqual([]);
  });

  test.each([
    ['two records for one key', [accepted('a'), accepted('b', replayed)], stored('a', 'b')],
    ['a record that is accepted twice as new', [accepted('a'), accepted('a')], stored('a')],
    ['a record that is lost', [accepted('a')], stored()],
  ])('%s are found', (_, exchanges, changes) => {
    expect(checkSubmissions(history(exchanges, changes)).length).toBeGreaterThan(0);
  });

  test('two records of equal calls are found', () => {
    const records = ['a', 'b'].map((record_id) => ({ record_id, agent_id: 'agent', call: 'crypto BTC bullish' }));
    expect(checkSubmissions(history([], { final: { ...EMPTY, records } }))).toHaveLength(1);
  });
});

describe('credits', () => {
  const ended = (...ids: string[]) => {
    return { started: 0, ended: 1, records: ids.map((record_id) => ({ record_id, owner_id: 'owner' })) };
  };
  const final = (credit: number, ...ids: string[]): FinalState => ({
    records: [],
    ledger: ids.map((record_id) => ({ record_id, owner_id: 'owner', amount: 10 })),
    pools: [{ owner_id: 'owner', day: '2027-01-15', pool: 'query', record_id: '', used: 0, credit }],
  });

  test('of ten for each record are sound', () => {
    const finalisations = [ended('a'), ended(), ended('b')];
    expect(checkCredits(history([], { finalisations, final: final(20, 'a', 'b') }))).toEqual([]);
  });

  test.each([
    ['credited twice', [ended('a')], final(20, 'a')],
    ['never credited', [ended('a')], final(0, 'a')],
    ['without a ledger', [ended('a')], final(10)],
    ['ended twice', [ended('a'), ended('a')], final(20, 'a')],
    ['credited without an end', [], final(10, 'a')],
  ])('a record that is %s is found', (_, finalisations, state) => {
    expect(checkCredits(history([], { finalisations, final: state })).length).toBeGreaterThan(0);
  });
});

describe('headers', () => {
  const full = refused(0.4, 1);
  const read = {
    pool: 'read',
    headers: { 'x-quota-resource': 'read', 'x-quota-remaining': '1', 'x-quota-limit': '2' },
  } as const;

  test('that are all there and fit together are sound', () => {
    expect(checkHeaders(history([admitted(0.1, 2, 1), full, admitted(0.2, 1, 1, read)]))).toEqual([]);
  });

  test('a key that is revoked during its submission is counted as that key; for a read it is not', () => {
    const submission = { symbol: 'A', direction: 'bullish', idempotency_key: null } as const;
    const revoked = admitted(0.1, 2, 1, { status: 401, code: 'UNAUTHORIZED' });
    expect(checkHeaders(history([{ ...revoked, submission }]))).toEqual([]);
    expect(checkHeaders(history([revoked]))).toHaveLength(1);
  });

  test.each([
    ['a missing one', admitted(0.1, 2, 1, { headers: { 'x-quota-reset': undefined as unknown as string } })],
    ['one that is no number', admitted(0.1, 2, 1, { headers: { 'x-ratelimit-remaining': '-1' } })],
    [
      'a refusal without retry-after',
      { ...full, headers: { ...full.headers, 'retry-after': undefined as unknown as string } },
    ],
    ['another retry-after than in the body', { ...full, retry_after_seconds: 7 }],
    ['a wait that ends before the reset', refused(0.4, 30)],
    ['a refusal with requests remaining', { ...full, headers: { ...full.headers, 'x-ratelimit-remaining': '1' } }],
    ['another limit', admitted(0.1, 2, 1, { headers: { 'x-ratelimit-limit': '6' } })],
    ['a unit without its pool', admitted(0.1, 2, 1, { pool: 'read' })],
    ['another pool', admitted(0.1, 2, 1, { ...read, pool: 'query' })],
    ['a reset of long ago', admitted(0.1, 2, -60)],
  ])('%s is found', (name, exchange) => {
    const seen =
      name === 'a wait that ends before the reset'
        ? { ...exchange, retry_after_seconds: 1, headers: { ...exchange.headers, 'retry-after': '1' } }
        : exchange;
    expect(checkHeaders(history([seen])).length).toBeGreaterThan(0);
  });
});

describe('revocations', () => {
  const revocations = [{ key_prefix: 'sbk_Aaaaaaaa', answered: (MINUTE + 5) * 1_000 }];
  const requestLater = (changes: Partial<Exchange>) =>
    checkRevocations(history([admitted(6, 1, 60, changes)], { revocations }));

  test('requests that began before, and refusals after, are sound', () => {
    expect(checkRevocations(history([admitted(4.9, 1, 60)], { revocations }))).toEqual([]);
    expect(requestLater({ status: 401, code: 'UNAUTHORIZED' })).toEqual([]);
    expect(requestLater({ status: 429, code: 'RATE_LIMIT_EXCEEDED' })).toEqual([]);
    expect(requestLater({ key_prefix: 'sbk_Bbbbbbbb' })).toEqual([]);
  });

  test.each([
    [200, null],
    [404, 'NOT_FOUND'],
    [429, 'DAILY_QUOTA_EXCEEDED'],
  ])('an answer of %d after it is found', (status, code) => {
    expect(requestLater({ status, code })).toHaveLength(1);
  });
});
