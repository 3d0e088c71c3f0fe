import { beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { canonicalJson } from '../../../adapters/formats/canonical-json.ts';
import { learnNames } from '../../../application/market/names.ts';
import type { Decision } from '../../../domain/decisions/decision.ts';
import type { EvaluationEnd } from '../../../domain/decisions/evaluation-store.ts';
import { moveRangeOf } from '../../../domain/decisions/own/record-counts.ts';
import { countsByBucket, uncountedReason } from '../../../domain/decisions/ungraded.ts';
import { NOTE } from '../../../domain/limits.ts';
import type { RecallRow, RecallSubject } from '../../../domain/recall/recall.ts';
import { DAY, HOUR, MINUTE } from '../../../domain/time.ts';
import { FACEBOOK } from '../../builders/names.ts';
import { anOutcome, aSuspectedOutcome } from '../../builders/outcomes.ts';
import type { Bench, DecisionContract } from '../decisions/bench.ts';
import { endOf, evaluateAll, FAR } from '../decisions/evaluated.ts';
import { aPopulation, type Population } from './population.ts';

const BTC = { market: 'crypto', symbol: 'BTC' } as const;

export const recallingContract: DecisionContract = {
  name: 'what an agent recalls',
  promises(bench) {
    let population: Population;
    let records: readonly Decision[];
    beforeAll(async () => {
      population = await aPopulation(bench);
      records = await population.records();
    });
    const recall = () => bench.storage().recall;

    test('the newest rows of a security that were received by a time, in every state, and no row of another agent', async () => {
      let found = 0;
      const subjects = records.map(({ owner_id, agent_id, market, symbol }) => ({
        ...{ owner_id, agent_id, market, symbol },
      }));
      const property = fc.asyncProperty(
        fc.constantFrom(...subjects),
        fc.constantFrom(...records),
        fc.constantFrom(-1, 0, DAY),
        fc.integer({ min: 1, max: 20 }),
        async (subject, { submission_time }, later, most) => {
          const as_of = new Date(submission_time.getTime() + later);
          const expected = records.filter((record) => isOf(record, subject) && record.submission_time <= as_of);
          const rows = await recall().newest(subject, as_of, false, most);
          expect(rows).toEqual(expected.toSorted(newestFirst).slice(0, most).map(rowOf));
          found += rows.length;
        },
      );
      await fc.assert(property, { numRuns: bench.runs(200), seed: 9 });
      if (!bench.isSampled) expect(found).toBeGreaterThan(300);
      expect(records.filter(({ archived_at }) => archived_at !== null).length).toBeGreaterThan(3);
    });

    test('nothing of an agent of another owner', async () => {
      const [{ agent_id }] = population.agents;
      const { owner_id } = population.stranger;
      expect(await recall().newest({ owner_id, agent_id, ...BTC }, FAR, false, 10)).toEqual([]);
      expect(await recall().notedElsewhere({ owner_id, agent_id, ...BTC }, FAR, 10)).toEqual([]);
    });

    test('an end that was moved is as it is now, or as the receipt says until there is an outcome', async () => {
      const agent = await bench.agent();
      const receipt = await bench.accepted(agent);
      const moved = new Date(Date.parse(receipt.end_time) + HOUR);
      await claimed(bench, { kind: 'postponed', until: moved, reason: 'not_settled', detail: '', end_time: moved });
      const ends = async (as_of: Date) => {
        const rows = [false, true].map((sealed) => recall().newest({ ...agent, ...BTC }, as_of, sealed, 10));
        return (await Promise.all(rows)).map(([row]) => row?.end_time);
      };
      const sealed = new Date(receipt.end_time);
      expect(await ends(await bench.now())).toEqual([moved, sealed]);
      const before = await bench.now();
      await bench.arrange().advance(MINUTE);
      await evaluateAll(bench);
      expect(await ends(before)).toEqual([moved, sealed]);
      expect(await ends(await bench.now())).toEqual([moved, moved]);
    });

    test('what decisions said: the summary, else the first factor, with the figures of the outcome', async () => {
      const agent = await bench.agent();
      const factors = { key_factors: ['First', { factor: 'Second' }] };
      const changes = [
        { summary: 'In short', ...factors },
        factors,
        { key_factors: [{ factor: 'Long' }] },
        {},
        { summary: ' ' },
      ];
      const ids: string[] = [];
      for (const change of changes) ids.push((await bench.accepted(agent, change)).record_id);
      await evaluateAll(bench);
      ids.push((await bench.accepted(agent)).record_id);
      const words = await recall().wordsOf([...ids, 'dec_20200101_00000000']);
      expect(ids.map((id) => words.get(id)?.said)).toEqual(['In short', 'First', 'Long', null, null, null]);
      expect(words.size).toBe(6);
      expect(words.get(ids[0] ?? '')?.facts).toEqual(anOutcome().facts);
      expect(words.get(ids[5] ?? '')?.facts).toBeNull();
      expect(await recall().wordsOf([])).toEqual(new Map());
    });

    test('the newest notes on other securities where the outcome counts, by a time, without emptied ones', async () => {
      const agent = await bench.agent();
      const mate = await bench.agent(agent);
      const ids = [];
      for (const symbol of ['ETH', 'SOL', 'BTC', 'ADA']) ids.push((await bench.accepted(agent, { symbol })).record_id);
      const theirs = (await bench.accepted(mate, { symbol: 'ETH' })).record_id;
      await evaluateAll(bench);
      const suspected = (await bench.accepted(agent, { symbol: 'XRP' })).record_id;
      await evaluateAll(bench, aSuspectedOutcome());
      const [eth = '', sol = '', btc = '', ada = ''] = ids;
      const times: Date[] = [];
      for (const [record_id, text] of [
        [eth, 'one'],
        [sol, 'two'],
        [btc, 'about itself'],
        [eth, 'three'],
        [suspected, 'of no count'],
        [ada, 'emptied'],
      ] as const) {
        await bench.arrange().advance(MINUTE);
        times.push(await bench.now());
        const { verdict } = await bench.storage().notes.add({ ...agent, record_id, text }, NOTE.perRecord);
        expect(verdict).toBe('added');
      }
      await bench.storage().notes.add({ ...mate, record_id: theirs, text: 'of a mate' }, NOTE.perRecord);
      await bench.storage().notes.empty(agent.owner_id, ada, 1);
      const noted = async (as_of: Date, most: number) => {
        const found = await recall().notedElsewhere({ ...agent, ...BTC }, as_of, most);
        return found.map(({ row, note }) => `${row.symbol} ${note.number} ${note.text}`);
      };
      expect(await noted(FAR, 10)).toEqual(['ETH 2 three', 'SOL 1 two', 'ETH 1 one']);
      expect(await noted(times[2] ?? FAR, 10)).toEqual(['SOL 1 two', 'ETH 1 one']);
      expect(await noted(FAR, 2)).toEqual(['ETH 2 three']);
      const [newest] = await recall().notedElsewhere({ ...agent, ...BTC }, FAR, 10);
      const [row] = await recall().newest({ ...agent, market: 'crypto', symbol: 'ETH' }, FAR, false, 1);
      expect(newest?.row).toEqual(row);
    });

    test('rows count under what their names mean by statements that were learned later', async () => {
      const agent = await bench.agent();
      const share = { market: 'stock', venue: 'NASDAQ', horizon_kind: 'trading_days', horizon_value: 5 } as const;
      const { record_id } = await bench.accepted(agent, {
        ...{ ...share, symbol: 'FBRC', data_cutoff: '2021-03-01T15:00:00.000Z' },
      });
      const ids = async (symbol: string) => {
        const rows = await recall().newest({ ...agent, market: 'stock', symbol }, FAR, false, 10);
        return rows.map(({ id }) => id);
      };
      expect([await ids('FBRC'), await ids('METARC')]).toEqual([[record_id], []]);
      const said = FACEBOOK.map((each) => ({ ...each, name: `${each.name}RC`, key: `${each.key}RC` }));
      await bench.arrange().advance(MINUTE);
      await learnNames({ ...bench.storage(), canonicalJson }, said, 'test');
      expect([await ids('FBRC'), await ids('METARC')]).toEqual([[], [record_id]]);
    });
  },
};

/** Ends the evaluation of all that waits. */
async function claimed(bench: Bench, result: EvaluationEnd['result']): Promise<void> {
  const { verification, evaluations } = bench.storage();
  for (const instrument of await verification.awaitingVerification(FAR, 1_000)) {
    await verification.settleVerification(instrument, 'verified');
  }
  const ends = (await evaluations.claimDue(FAR, FAR, 1_000)).map((each) => endOf(each, result));
  await evaluations.endEvaluations(ends, await bench.now());
}

function isOf(record: Decision, subject: RecallSubject): boolean {
  const { owner_id, agent_id, market, symbol } = record;
  const fields = [owner_id, agent_id, market, symbol];
  return [subject.owner_id, subject.agent_id, subject.market, subject.symbol].every((each, n) => each === fields[n]);
}

function newestFirst(a: Decision, b: Decision): number {
  const [one, other] = [a, b].map(({ submission_time, record_id }) => `${submission_time.toISOString()} ${record_id}`);
  return (one ?? '') < (other ?? '') ? 1 : -1;
}

function rowOf(record: Decision): RecallRow {
  const { market, symbol, venue, asset_class, quote_currency, direction, horizon_kind, horizon_value } = record;
  const { submission_origin, group_id, group_place, anchor_time, end_time, result_bucket, evaluated_at } = record;
  const isCounted = countsByBucket(record);
  return {
    ...{ id: record.record_id, market, symbol, venue, asset_class, quote_currency, direction },
    ...{ horizon_kind, horizon_value, submission_origin, group_id, group_place, anchor_time, end_time },
    confidence: record.submission.confidence ?? null,
    received_at: record.submission_time,
    isQuarantined: record.lifecycle_state === 'quarantined',
    known_at: isCounted ? evaluated_at : null,
    result_bucket: isCounted ? result_bucket : null,
    move: isCounted ? moveRangeOf(record) : null,
    ungraded: uncountedReason(record),
  };
}
