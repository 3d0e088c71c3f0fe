import { beforeAll, expect, test } from '@jest/globals';
import type { EvaluationEnd } from '../../../domain/decisions/evaluation-store.ts';
import { type LifecycleState, type Move, statesBefore, TRANSITIONS } from '../../../domain/decisions/lifecycle.ts';
import { EVENT_OF_MOVE } from '../../../domain/events/event.ts';
import type { Instrument } from '../../../domain/market/instrument.ts';
import { auditedModeration } from '../../builders/audited-moderation.ts';
import { aGraded } from '../../builders/outcomes.ts';
import type { Bench, DecisionContract } from './bench.ts';
import { evaluateAll, FAR, inMinutes } from './evaluated.ts';
import { found } from './intake-acceptance.ts';

/** A record on an instrument of its own, and the token of the newest evaluation that it was claimed for. */
interface Walker {
  readonly record_id: string;
  readonly owner_id: string;
  readonly instrument: Instrument;
  token: string;
}

const AFTER_LEASE = inMinutes(FAR, 10);
const WITHIN_LEASE = inMinutes(FAR, 1);
const UNKNOWN_TOKEN = '00000000-0000-4000-8000-000000000000';
const MOVES = [...new Set(TRANSITIONS.map(({ by }) => by))];

export const transitionsContract: DecisionContract = {
  name: 'the table of transitions',
  promises(bench) {
    beforeAll(() => evaluateAll(bench));

    test('from every state exactly the moves of the table are made, each leads where it says and has its event', async () => {
      const made = new Set<string>();
      for (const [name, path] of Object.entries(PATHS)) {
        for (const move of MOVES) {
          const walker = await walkerOf(bench, path);
          const { record_id } = walker;
          const before = await found(bench, walker.record_id);
          expect(before.lifecycle_state).toBe(name.split(' ')[0]);
          const moved = await make(bench, walker, move, AFTER_LEASE);
          const after = await found(bench, walker.record_id);
          if (!moved) expect(after).toEqual(before);
          const events = await eventsOf(bench, walker);
          const types = [...path, ...(moved ? [move] : [])].flatMap((each) => EVENT_OF_MOVE[each] ?? []);
          expect(events.map(({ type }) => type)).toEqual(types);
          if (moved && EVENT_OF_MOVE[move]) {
            const { agent_id, lifecycle_state } = after;
            const result_bucket = lifecycle_state === 'evaluated' ? after.result_bucket : null;
            expect(events.at(-1)?.data).toEqual({ record_id, agent_id, lifecycle_state, result_bucket });
          }
          if (moved) made.add(`${move}: ${before.lifecycle_state} -> ${after.lifecycle_state}`);
        }
      }
      const table = TRANSITIONS.flatMap(({ by, from, to }) => from.map((state) => `${by}: ${state} -> ${to}`));
      expect([...made].sort()).toEqual(table.sort());
    });

    test.each(['claim', 'quarantine'] as const)('an evaluation within its lease is not moved by %s', async (move) => {
      const walker = await walkerOf(bench, ['verify', 'claim']);
      const before = await found(bench, walker.record_id);
      expect(await make(bench, walker, move, WITHIN_LEASE)).toBe(false);
      expect(await found(bench, walker.record_id)).toEqual(before);
      expect(statesBefore(move)).toContain(before.lifecycle_state);
    });
  },
};

/** How a new record gets into each state; where a move depends on what happened before, both ways. */
const PATHS: Readonly<Record<LifecycleState | `${LifecycleState} ${string}`, readonly Move[]>> = {
  pending_verify: [],
  verified: ['verify'],
  rejected: ['reject'],
  evaluating: ['verify', 'claim'],
  'evaluating after a deferral': ['verify', 'claim', 'defer', 'claim'],
  deferred: ['verify', 'claim', 'defer'],
  data_unavailable: ['verify', 'claim', 'give_up'],
  evaluated: ['verify', 'claim', 'grade'],
  quarantined: ['quarantine'],
  'quarantined after its grade': ['verify', 'claim', 'grade', 'quarantine'],
  'quarantined when it was deferred': ['verify', 'claim', 'defer', 'quarantine'],
};

let walkers = 0;

async function walkerOf(bench: Bench, path: readonly Move[]): Promise<Walker> {
  const symbol = `WALK${++walkers}`;
  const agent = await bench.agent();
  const { record_id } = await bench.accepted(agent, { symbol });
  const { market, venue, asset_class, quote_currency } = await found(bench, record_id);
  const instrument = { market, symbol, venue, asset_class, quote_currency };
  const walker = { record_id, owner_id: agent.owner_id, instrument, token: UNKNOWN_TOKEN };
  for (const move of path) expect(await make(bench, walker, move, FAR)).toBe(true);
  return walker;
}

/** What happened to the decision of this owner, the first first. */
async function eventsOf({ storage, arrange }: Bench, { owner_id }: Walker) {
  await arrange().settle();
  const { events } = await storage().events.page({ owner_id }, null, 100);
  return events.map(({ event }) => event).filter(({ type }) => type.startsWith('decision.'));
}

/** Makes the move through its port; false when the port says that this record was not moved. */
async function make(bench: Bench, walker: Walker, move: Move, now: Date): Promise<boolean> {
  const { verification } = bench.storage();
  const moderation = auditedModeration(bench.storage());
  const { record_id, instrument } = walker;
  switch (move) {
    case 'verify':
      return (await verification.settleVerification(instrument, 'verified')) > 0;
    case 'reject':
      return (await verification.settleVerification(instrument, 'rejected')) > 0;
    case 'expire':
      return (await verification.endWaits(instrument, 'made up', now)) > 0;
    case 'refresh': {
      const { rejected, data_unavailable } = await verification.revive(instrument, now);
      return rejected + data_unavailable > 0;
    }
    case 'claim':
      return claim(bench, walker, now);
    case 'quarantine':
      return (await moderation.quarantine(record_id, 'made up', now)) === 'quarantined';
    case 'release':
      return (await moderation.release(record_id))?.changed === true;
    default:
      return end(bench, walker, ENDS[move](record_id), now);
  }
}

async function claim(bench: Bench, walker: Walker, now: Date): Promise<boolean> {
  const leaseUntil = inMinutes(now, 5);
  const claimed = await bench.storage().evaluations.claimDue(now, leaseUntil, 1_000);
  const own = claimed.find(({ decision }) => decision.record_id === walker.record_id);
  walker.token = own?.token ?? walker.token;
  return own !== undefined;
}

const detail = 'none of the bars';
const ENDS: Readonly<
  Record<'grade' | 'defer' | 'give_up' | 'postpone', (record_id: string) => Pick<EvaluationEnd, 'result' | 'retry_at'>>
> = {
  grade: (record_id) => ({ result: aGraded(record_id), retry_at: null }),
  defer: () => ({ result: { kind: 'deferred', reason: 'coverage', detail }, retry_at: FAR }),
  give_up: () => ({ result: { kind: 'deferred', reason: 'coverage', detail }, retry_at: null }),
  postpone: () => ({ result: { kind: 'postponed', until: FAR, reason: 'fault', detail }, retry_at: null }),
};

async function end(
  bench: Bench,
  { record_id, token }: Walker,
  ending: Pick<EvaluationEnd, 'result' | 'retry_at'>,
  now: Date,
) {
  const ended = await bench.storage().evaluations.endEvaluations([{ record_id, token, ...ending }], now);
  return ended.includes(record_id);
}
