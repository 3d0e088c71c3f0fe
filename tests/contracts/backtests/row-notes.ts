import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { RowEnd } from '../../../domain/backtests/backtest.ts';
import { nextRowNote, type RowNote } from '../../../domain/backtests/row-notes.ts';
import { ERASURE } from '../../../domain/limits.ts';
import { DAY, HOUR } from '../../../domain/time.ts';
import { aRow } from '../../builders/backtests.ts';
import type { AgentCaller } from '../../builders/decisions.ts';
import { race } from '../adapters.ts';
import type { DecisionContract } from '../decisions/bench.ts';
import { claim, gradedEnd, nameOf, send, setIdOf } from './backtest-store.ts';

const BEGUN = new Date('2025-06-02T08:00:00.000Z');
const after = (hours: number) => new Date(BEGUN.getTime() + hours * HOUR);
const BTC = { market: 'crypto', symbol: 'BTC' } as const;

/** The promises of notes on rows of back-tests. Each row is known two hours after it begins. */
export const rowNotesContract: DecisionContract = {
  name: 'notes on rows of back-tests',
  promises(bench) {
    let agent: AgentCaller;
    let set_id: number;
    beforeEach(async () => {
      agent = await bench.agent();
      set_id = await filled();
    });
    afterEach(async () => {
      const { backtests } = store();
      for (const set of await backtests.list(agent.owner_id)) await backtests.remove(set);
      while ((await backtests.prune(1_000)) > 0);
    });
    const store = () => bench.storage();

    /** `a`, and `b` a day later, of bitcoin, `e` of ether; `open` has no outcome, and `none` will have none. */
    async function filled(): Promise<number> {
      await send(bench, agent, [
        ...[aRow('a', BEGUN), aRow('b', after(24)), aRow('e', BEGUN, { symbol: 'ETH' })],
        ...[
          aRow('none', after(48)),
          aRow('open', after(72), { settles_at: new Date((await bench.now()).getTime() + DAY) }),
        ],
      ]);
      for (let found = await claim(bench); found; found = await claim(bench)) {
        const ends = found.rows.map((row): RowEnd => {
          const { anchor_time } = row.decision;
          const end = gradedEnd(row, new Date(anchor_time.getTime() + 2 * HOUR));
          if (anchor_time < after(48)) return end;
          return { ...end, result: { kind: 'data_unavailable', reason: 'no_trade', detail: 'Nothing.' } };
        });
        await store().backtests.end(found, ends);
      }
      return setIdOf(bench, agent);
    }

    const add = (
      text: string,
      as_of: Date,
      changes: { external_id?: string; owner_id?: string; atMost?: number } = {},
    ) => {
      const { external_id = 'a', owner_id = agent.owner_id, atMost = 20 } = changes;
      return store().backtests.addNote({ owner_id, set_id, external_id, text, as_of }, atMost);
    };
    const read = async (external_id = 'a') => {
      const rows = await store().backtests.rows(set_id, null, 100);
      return rows.find((row) => row.external_id === external_id)?.notes;
    };
    const recalled = async (as_of: Date) => {
      const { rows } = await store().backtests.recall(set_id, BTC, as_of, 10);
      return rows.flatMap(({ external_id, notes }) => notes.map(({ text }) => `${external_id}: ${text}`));
    };
    const elsewhere = async (as_of: Date, most = 10) => {
      const rows = await store().backtests.notedElsewhere(set_id, BTC, as_of, most);
      return rows.map(({ external_id, notes }) => [external_id, ...notes.map(({ text }) => text)]);
    };

    test('are read by their time, and then as they were written', async () => {
      const written_at = await bench.now();
      const note = (text: string, as_of: Date): RowNote => ({ text, as_of, written_at });
      expect(await add('Second 🔔', after(9))).toEqual({ verdict: 'added', note: note('Second 🔔', after(9)) });
      expect(await add('First', after(2))).toEqual({ verdict: 'added', note: note('First', after(2)) });
      expect((await add('Third', after(9))).verdict).toBe('added');
      expect(await read()).toEqual([note('First', after(2)), note('Second 🔔', after(9)), note('Third', after(9))]);
      expect([await read('b'), await read('open')]).toEqual([[], []]);
    });

    test('are not there before the outcome was known, where none is, nor on rows that are not there', async () => {
      const none = { verdict: 'not_graded', row: { known_at: after(2), record_group: 'weak_correct', ungraded: null } };
      expect(await add('Too early', new Date(after(2).getTime() - 1))).toMatchObject(none);
      const ended = {
        verdict: 'not_graded',
        row: { known_at: null, record_group: 'unavailable', ungraded: 'no_trade' },
      };
      expect(await add('Of nothing', after(99), { external_id: 'none' })).toMatchObject(ended);
      const open = { verdict: 'not_graded', row: { known_at: null, record_group: 'pending', ungraded: null } };
      expect(await add('Of nothing yet', after(99), { external_id: 'open' })).toMatchObject(open);
      expect(await add('Of no row', after(99), { external_id: 'zz' })).toEqual({ verdict: 'no_row' });
      const stranger = await bench.agent();
      expect(await add('Not mine', after(99), stranger)).toEqual({ verdict: 'no_row' });
      expect(await recalled(after(99))).toEqual([]);
    });

    test('are not added again by a back-test that runs again, and are known earlier by one of before', async () => {
      await add('One', after(2));
      await add('Two', after(5));
      for (const [text, at] of [
        ['One', 2],
        ['One', 4],
        ['Two', 5],
        ['Two', 9],
      ] as const)
        expect([text, at, (await add(text, after(at))).verdict]).toEqual([text, at, 'repeated']);
      expect((await add('One', after(6))).verdict).toBe('added');
      expect((await add('Two', after(3))).verdict).toBe('added');
      expect((await read())?.map(({ text }) => text)).toEqual(['One', 'Two', 'Two', 'One']);
    });

    test('of 20 at once are one, and at most so many a row, whose newest are still repeated', async () => {
      const once = await race(20, () => add('Once', after(2)));
      expect(once.filter(({ verdict }) => verdict === 'added')).toHaveLength(1);
      expect(once.filter(({ verdict }) => verdict === 'repeated')).toHaveLength(19);
      const many = await race(8, (n) => add(`Note ${n}`, after(3), { atMost: 5 }));
      expect(many.map(({ verdict }) => verdict).toSorted()).toEqual([
        ...['added', 'added', 'added', 'added', 'full', 'full', 'full', 'full'],
      ]);
      expect((await add((await read())?.at(-1)?.text ?? '', after(3), { atMost: 5 })).verdict).toBe('repeated');
      expect((await add('Of another row', after(26), { external_id: 'b', atMost: 5 })).verdict).toBe('added');
    });

    test('control: without the lock, texts at once would pass the number of a row', async () => {
      const row = { known_at: after(2), settles_at: after(2), record_group: 'weak_correct', ungraded: null } as const;
      const now = await bench.now();
      const said = (n: number) => ({ text: `At once ${n}`, as_of: after(3) });
      const seen = await race(8, async (n) => nextRowNote(row, (await read()) ?? [], said(n), { atMost: 5, now }));
      expect(seen.filter(({ verdict }) => verdict === 'added')).toHaveLength(8);
    });

    test('are in a recall as of their time, and of no time before; those of other securities the newest first', async () => {
      await add('Early', after(2));
      await add('Late', after(40));
      await add('Of b', after(26), { external_id: 'b' });
      await add('Of ether', after(30), { external_id: 'e' });
      await add('Of ether again', after(35), { external_id: 'e' });
      expect(await recalled(after(99))).toEqual(['b: Of b', 'a: Early', 'a: Late']);
      expect(await recalled(after(26))).toEqual(['b: Of b', 'a: Early']);
      expect(await recalled(new Date(after(26).getTime() - 1))).toEqual(['a: Early']);
      expect(await elsewhere(after(99))).toEqual([['e', 'Of ether', 'Of ether again']]);
      expect(await elsewhere(after(30))).toEqual([['e', 'Of ether']]);
      expect([await elsewhere(after(29)), await elsewhere(after(99), 1)]).toEqual([[], []]);
      const ofEther = await store().backtests.notedElsewhere(
        set_id,
        { market: 'crypto', symbol: 'ETH' },
        after(35),
        10,
      );
      expect(ofEther.map(({ external_id }) => external_id)).toEqual(['b', 'a']);
    });

    test('are in the copy of the account, and go with their set and with their owner', async () => {
      await add('In the copy', after(2));
      const { rows } = await store().ownerData.rows(agent.owner_id, 'backtest_rows', null, 10);
      expect(rows.flatMap((row) => (row.notes as readonly RowNote[]).map(({ text }) => text))).toEqual(['In the copy']);
      await store().backtests.remove(nameOf(agent));
      expect(await add('Of a removed set', after(3))).toEqual({ verdict: 'no_row' });
      while ((await store().backtests.prune(1)) > 0);
      set_id = await filled();
      expect(await read()).toEqual([]);
      await add('Goes with the owner', after(2));
      const { owner_id } = agent;
      await store().erasures.schedule(owner_id);
      await bench.arrange().advance(ERASURE.grace);
      await store().erasures.remove(owner_id);
      await expect(add('Gone', after(3))).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
      expect(await store().backtests.rows(set_id, null, 10)).toEqual([]);
    });

    test('are refused to an account that is suspended', async () => {
      await bench.operators().ownerAdministration.suspend(agent.owner_id);
      await expect(add('Suspended', after(3))).rejects.toMatchObject({ code: 'ACCOUNT_SUSPENDED' });
      await bench.operators().ownerAdministration.resume(agent.owner_id);
    });

    test('are not there when the transaction that adds them fails', async () => {
      const draft = { owner_id: agent.owner_id, set_id, external_id: 'a', text: 'Taken back', as_of: after(3) };
      const failing = store().transaction(async ({ backtests }) => {
        await backtests.addNote(draft, 20);
        throw new Error('of a test');
      });
      await expect(failing).rejects.toThrow('of a test');
      expect(await read()).toEqual([]);
    });
  },
};
