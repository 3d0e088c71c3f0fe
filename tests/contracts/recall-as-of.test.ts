import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { recall } from '../../application/decisions/recall.ts';
import type { Ports } from '../../application/ports.ts';
import type { RowEnd } from '../../domain/backtests/backtest.ts';
import { DIRECTIONS } from '../../domain/decisions/call.ts';
import type { ClaimedDecision, EvaluationEnd } from '../../domain/decisions/evaluation-store.ts';
import { bucketOf } from '../../domain/grading/bucket.ts';
import { NOTE } from '../../domain/limits.ts';
import { DAY, HOUR, MINUTE } from '../../domain/time.ts';
import { ABOUT, aGrade, aRow } from '../builders/backtests.ts';
import type { AgentCaller } from '../builders/decisions.ts';
import { aGraded, anOutcome } from '../builders/outcomes.ts';
import { ANY_SYMBOL } from '../harness/any-symbol.ts';
import { type DecisionAdapter, decisionAdapters } from './decisions/adapters.ts';
import { type Bench, benchOn } from './decisions/bench.ts';
import { endOf, FAR } from './decisions/evaluated.ts';

/** Worlds of 320 questions about the past each: 10,240 by `npm run recalls`. */
const WORLDS = process.env.RECALLS === 'whole' ? 32 : 1;
const [EVENTS, PER_EVENT] = [40, 8];
const SYMBOLS = ['BTC', 'ETH', 'SOL'];

// Quarantines, erasures, emptied notes and statements about names may change what is recalled: none is among the events.
describe.each(decisionAdapters.slice(0, 2))('$name: what an agent recalls as of a time', (adapter) => {
  const bench = benchOn(adapter);
  const isModel = adapter.name === 'memory';

  test('nothing that happens later changes a byte', async () => {
    let shown = 0;
    for (let seed = 1; seed <= (isModel ? WORLDS : 1); seed += 1) {
      const { asked, changed } = await aWorld(bench, { seed, each: isModel ? PER_EVENT : 2 }, portsOf(bench));
      expect(changed[0]).toBeUndefined();
      shown += asked.filter(({ reply }) => /Closed, .*\n(.*\n)*.*Noted/.test(JSON.parse(reply).text)).length;
    }
    expect(shown).toBeGreaterThan(10);
  });
});

describe.each(decisionAdapters.slice(0, 2))('$name: what an agent recalls of a set as of a time', (adapter) => {
  const bench = benchOn(adapter);

  test('no grade of later changes a byte, also where it moves the end of a window', async () => {
    const agent = await bench.agent();
    const first = (await bench.now()).getTime() - 30 * DAY;
    const rows = fc.sample(aSetRow, { numRuns: 60, seed: 4 }).map(({ hours, symbol, direction }, n) => {
      return aRow(`r${n}`, new Date(first + hours * HOUR), { symbol, direction, summary: `Because of ${n}` });
    });
    const batch = { ...agent, name: 'one', about: ABOUT, rows };
    const now = await bench.now();
    await bench.storage().transaction(({ backtests }) => backtests.receive(batch, now));
    const ask = (query: Query) => recall(portsOf(bench), agent, query);
    const asked: { readonly query: Query; readonly reply: string }[] = [];
    for (let round = 0; (await gradeSome(bench, round)) > 0; round += 1) {
      for (const { hours, symbol } of fc.sample(aSetRow, { numRuns: 20, seed: round })) {
        const as_of = new Date(first + hours * HOUR + round * MINUTE);
        const query = { market: 'crypto' as const, symbol, as_of, set: 'one', tokens: 4_000 };
        const reply = await ask(query);
        if (reply.ungraded_yet === 0) asked.push({ query, reply: JSON.stringify(reply) });
      }
      await bench.arrange().advance(HOUR);
    }
    expect(asked.filter(({ reply }) => JSON.parse(reply).open.length > 0).length).toBeGreaterThan(20);
    for (const { query, reply } of asked) expect(JSON.stringify(await ask(query))).toBe(reply);
  });
});

describe('what an agent recalls as of a time', () => {
  const bench = benchOn(decisionAdapters[0] as DecisionAdapter);

  const FAULTS: readonly (readonly [string, (ports: AskedPorts) => AskedPorts])[] = [
    [
      'ends that were moved',
      ({ recall: own, ...ports }) => ({
        ...ports,
        recall: { ...own, newest: (of, at, _, most) => own.newest(of, at, false, most) },
      }),
    ],
    [
      'notes of later',
      ({ notes, ...ports }) => ({ ...ports, notes: { ...notes, notesOf: (ids) => notes.notesOf(ids) } }),
    ],
    [
      'rows of later',
      ({ recall: own, ...ports }) => ({
        ...ports,
        recall: { ...own, newest: (of, _, sealed, most) => own.newest(of, FAR, sealed, most) },
      }),
    ],
    [
      'notes of later on other securities',
      ({ recall: own, ...ports }) => ({
        ...ports,
        recall: { ...own, notedElsewhere: (of, _, most) => own.notedElsewhere(of, FAR, most) },
      }),
    ],
  ];
  test.each(FAULTS)('control: %s would change it', async (_, plant) => {
    const { changed } = await aWorld(bench, { seed: 1, each: 4 }, plant(portsOf(bench)));
    expect(changed.length).toBeGreaterThan(0);
  });
});

type AskedPorts = Pick<Ports, 'recall' | 'backtests' | 'notes' | 'owners' | 'symbols' | 'names' | 'clock'>;
type Query = Parameters<typeof recall>[2];

function portsOf(bench: Bench): AskedPorts {
  const { recall: own, backtests, notes, owners, names, clock } = bench.storage();
  return { recall: own, backtests, notes, owners, names, clock, symbols: ANY_SYMBOL };
}

/** Lets things happen to an agent's decisions, asks meanwhile about the past, and asks all again at the end. */
async function aWorld(bench: Bench, { seed, each }: { seed: number; each: number }, ports: AskedPorts) {
  const agent = await bench.agent();
  const mate = await bench.agent(agent);
  const start = (await bench.now()).getTime();
  const asked: { readonly query: Query; readonly reply: string }[] = [];
  const ask = async (query: Query) => JSON.stringify(await recall(ports, agent, query));
  for (const [n, event] of fc.sample(anEvent, { numRuns: EVENTS, seed }).entries()) {
    await bench.arrange().advance(event.minutes * MINUTE);
    await happen(bench, event.by < 9 ? agent : mate, event);
    const now = (await bench.now()).getTime();
    for (const { age, symbol, tokens, kind } of fc.sample(aQuestion, { numRuns: each, seed: seed * 1_000 + n })) {
      const as_of = new Date(Math.round(now - age * age * (now - start)));
      const horizon = kind % 2 ? { horizon_kind: 'holding_seconds' as const, horizon_value: 3_600 * kind } : {};
      const query = { market: 'crypto' as const, symbol, as_of, tokens, direction: DIRECTIONS[kind], ...horizon };
      asked.push({ query, reply: await ask(query) });
    }
  }
  await bench.arrange().advance(HOUR);
  const changed: unknown[] = [];
  for (const { query, reply } of asked) {
    const later = await ask(query);
    if (later !== reply) changed.push({ query, reply, later });
  }
  return { asked, changed };
}

const anEvent = fc.record({
  minutes: fc.integer({ min: 1, max: 90 }),
  by: fc.nat(9),
  kind: fc.nat(9),
  symbol: fc.constantFrom(...SYMBOLS),
  direction: fc.constantFrom(...DIRECTIONS),
  z: fc.double({ min: -2, max: 2, noNaN: true }),
});
type Event = Parameters<Parameters<typeof anEvent.map>[0]>[0];

const aQuestion = fc.record({
  age: fc.double({ min: 0, max: 1, noNaN: true }),
  symbol: fc.constantFrom(...SYMBOLS),
  tokens: fc.constantFrom(200, 400, 800, 4_000),
  kind: fc.nat(4),
});

/** A decision, a group, an archiving, an end of evaluations, or notes. */
async function happen(bench: Bench, agent: AgentCaller, event: Event): Promise<void> {
  const { kind, symbol, direction, z } = event;
  const said = { symbol, direction, summary: `Because of ${kind}`, ...(kind % 2 ? { confidence: kind / 10 } : {}) };
  const retroactive =
    kind === 2 ? { data_cutoff: new Date((await bench.now()).getTime() - 5 * HOUR).toISOString() } : {};
  if (kind < 4) await bench.accepted(agent, { ...said, ...retroactive, horizon_value: 3_600 * (1 + (kind % 3)) });
  else if (kind === 4) await bench.group(agent, said, [3_600, 7_200, 86_400]);
  else if (kind < 8) await evaluate(bench, (claimed, n) => resultOf(claimed, z * (1 + n / 3), kind + n));
  else await noteOrArchive(bench, agent, event);
}

async function noteOrArchive(bench: Bench, agent: AgentCaller, { kind, z }: Event): Promise<void> {
  const { ownerRecords, notes } = bench.storage();
  const filter = { agent_id: agent.agent_id, include_archived: true };
  const rows = await ownerRecords.list(agent.owner_id, { ...ALL, ...filter }, null, 100);
  const [oldest] = rows.filter(({ archived_at }) => archived_at === null).toReversed();
  if (oldest && z > 1) await ownerRecords.archive(agent.owner_id, oldest.record_id, null);
  for (const { record_id, lifecycle_state } of rows) {
    if (lifecycle_state !== 'evaluated') continue;
    await notes.add({ ...agent, record_id, text: `Noted ${kind} at ${z}` }, NOTE.perRecord);
  }
}

const ALL = {
  ...{ group_id: null, market: null, symbols: null, venue: null, asset_class: null, quote_currency: null },
  ...{ direction: null, lifecycle_state: null, result_bucket: null },
  ...{ submitted_since: null, submitted_until: null, evaluated_since: null },
  ...{ submission_origin: null, ended_since: null, ended_until: null },
};

const aSetRow = fc.record({
  hours: fc.integer({ min: 0, max: 200 }),
  symbol: fc.constantFrom(...SYMBOLS),
  direction: fc.constantFrom(...DIRECTIONS),
});

/** Ends the evaluation of some rows: with an outcome, with none, or later; some windows end later than was planned. */
async function gradeSome(bench: Bench, round: number): Promise<number> {
  const { backtests } = bench.storage();
  const now = await bench.now();
  const claimed = await backtests.claim(now, new Date(now.getTime() + MINUTE), 3);
  if (claimed === null) return 0;
  const ends = claimed.rows.map(({ token, decision: { record_id, end_time } }, n): RowEnd => {
    const kind = (round + n) % 6;
    const moved = kind % 2 ? { end_time: new Date(end_time.getTime() + 2 * HOUR) } : {};
    const known_at = new Date(end_time.getTime() + (3 + kind) * HOUR);
    const postponed = { kind: 'postponed', until: new Date(now.getTime() + MINUTE), reason: 'not_settled' } as const;
    if (kind === 1) return { record_id, token, retry_at: null, result: { ...postponed, ...moved, detail: '' } };
    const none = { kind: 'data_unavailable', reason: 'no_print', detail: '' } as const;
    const graded = { ...aGrade(known_at, anOutcome().facts), ...moved };
    return { record_id, token, retry_at: null, result: kind === 2 ? none : graded };
  });
  return backtests.end(claimed, ends);
}

async function evaluate(bench: Bench, result: (claimed: ClaimedDecision, n: number) => EvaluationEnd['result']) {
  const { verification, evaluations } = bench.storage();
  for (const instrument of await verification.awaitingVerification(FAR, 100)) {
    await verification.settleVerification(instrument, 'verified');
  }
  const now = await bench.now();
  const claimed = await evaluations.claimDue(now, new Date(now.getTime() + MINUTE), 100);
  const ends = claimed.map((each, n) => endOf(each, result(each, n)));
  await evaluations.endEvaluations(ends, now);
}

function resultOf({ decision }: ClaimedDecision, move_z: number, kind: number): EvaluationEnd['result'] {
  const { record_id, direction, end_time } = decision;
  const moved = new Date(end_time.getTime() + 2 * HOUR);
  if (kind % 6 === 0) {
    return { kind: 'postponed', until: moved, reason: 'not_settled', detail: '', end_time: moved };
  }
  if (kind % 6 === 1) return { kind: 'data_unavailable', reason: 'no_print', detail: '' };
  const result_bucket = bucketOf(direction, move_z);
  const z = direction === 'bullish' ? move_z : direction === 'bearish' ? -move_z : Math.abs(move_z);
  return aGraded(record_id, anOutcome({ result_bucket, facts: { ...anOutcome().facts, z, raw_return: move_z / 50 } }));
}
