import { beforeEach, expect, test } from '@jest/globals';
import { type NoteStore, nextNote } from '../../../domain/decisions/own/notes.ts';
import { ERASURE } from '../../../domain/limits.ts';
import { MINUTE } from '../../../domain/time.ts';
import type { AgentCaller } from '../../builders/decisions.ts';
import { race } from '../adapters.ts';
import type { Bench, DecisionContract } from '../decisions/bench.ts';
import { evaluateAll } from '../decisions/evaluated.ts';

/** The promises of the store of notes on evaluated records. */
export const notesContract: DecisionContract = {
  name: 'the notes of a record',
  promises(bench) {
    let agent: AgentCaller;
    let record_id: string;
    beforeEach(async () => {
      agent = await bench.agent();
      record_id = await graded(bench, agent);
    });
    const notes = () => bench.storage().notes;
    const add = (text: string, of = record_id, by = agent, atMost = 20, store: NoteStore = notes()) =>
      store.add({ owner_id: by.owner_id, agent_id: by.agent_id, record_id: of, text }, atMost);
    const read = async (of = record_id) => (await notes().notesOf([of])).get(of) ?? [];

    test('are numbered from 1, with the time of the clock, and read oldest first', async () => {
      const first = { number: 1, text: 'Ignored the CPI date', written_at: await bench.now() };
      expect(await add('Ignored the CPI date')).toEqual({ verdict: 'added', note: first });
      await bench.arrange().advance(MINUTE);
      const second = { number: 2, text: 'Wait for the open 🔔', written_at: await bench.now() };
      expect(await add('Wait for the open 🔔')).toEqual({ verdict: 'added', note: second });
      expect(await read()).toEqual([first, second]);
      expect(await notes().notesOf([record_id, record_id], first.written_at)).toEqual(new Map([[record_id, [first]]]));
      expect(await notes().notesOf([record_id], new Date(first.written_at.getTime() - 1))).toEqual(new Map());
    });

    test('are read of each record that was asked for, and of no other', async () => {
      const [other, bare] = [await graded(bench, agent), await graded(bench, agent)];
      await add('Of the first.');
      await add('Of the other.', other);
      await add('Of nobody asked.', await graded(bench, agent));
      const found = await notes().notesOf([bare, other, record_id]);
      const texts = [...found].map(([of, own]) => [of, own.map(({ text }) => text)]);
      expect(new Map(texts as [string, unknown][])).toEqual(
        new Map([
          [record_id, ['Of the first.']],
          [other, ['Of the other.']],
        ]),
      );
      expect(await notes().notesOf([])).toEqual(new Map());
    });

    test('are never older than the note before, when the clock is set back', async () => {
      const start = await bench.now();
      await add('First.');
      await bench.arrange().freeze(new Date(start.getTime() - MINUTE));
      await add('Second.');
      await bench.arrange().freeze(start);
      expect((await read()).map(({ written_at }) => written_at)).toEqual([start, start]);
    });

    test('repeat the newest one alone, of 20 at once too', async () => {
      const added = await race(20, () => add('Once.'));
      expect(added.filter(({ verdict }) => verdict === 'added')).toHaveLength(1);
      expect(added.filter(({ verdict }) => verdict === 'repeated')).toHaveLength(19);
      expect(new Set(added.map((each) => 'note' in each && each.note.number))).toEqual(new Set([1]));
      await add('Twice.');
      expect(await add('Once.')).toMatchObject({ verdict: 'added', note: { number: 3 } });
    });

    test('are so many of a record, however many come at once, and the newest is still repeated', async () => {
      const added = await race(12, (n) => add(`Note ${n}.`, record_id, agent, 5));
      expect(added.filter(({ verdict }) => verdict === 'added')).toHaveLength(5);
      expect(added.filter(({ verdict }) => verdict === 'full')).toHaveLength(7);
      const all = await read();
      expect(all.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5]);
      expect((await add(all.at(-1)?.text ?? '', record_id, agent, 5)).verdict).toBe('repeated');
      expect(await add('Of another record.', await graded(bench, agent), agent, 5)).toMatchObject({ verdict: 'added' });
    });

    test('control: without the lock, texts at once would have one number', async () => {
      const seen = await race(8, async (n) => nextNote(await read(), `At once ${n}.`, 20, await bench.now()));
      expect(new Set(seen.map((each) => 'note' in each && each.note.number))).toEqual(new Set([1]));
    });

    test('are of evaluated records alone: none before the outcome, and none in quarantine', async () => {
      const { record_id: open } = await bench.accepted(agent);
      expect(await add('Too early.', open)).toEqual({ verdict: 'not_evaluated' });
      await add('Before the quarantine.');
      const { owner_id } = agent;
      await moderate(bench, 'quarantine', record_id);
      expect(await add('During the quarantine.')).toEqual({ verdict: 'not_evaluated' });
      expect((await read()).map(({ text }) => text)).toEqual(['Before the quarantine.']);
      await moderate(bench, 'release', record_id);
      expect(await add('After the quarantine.')).toMatchObject({ verdict: 'added', note: { number: 2 } });
      await bench.storage().ownerRecords.archive(owner_id, record_id, 'of a test');
      expect(await add('In the archive.')).toMatchObject({ verdict: 'added', note: { number: 3 } });
    });

    test('are of the agent of the record alone', async () => {
      const [mate, stranger] = [await bench.agent(agent), await bench.agent()];
      for (const other of [mate, stranger, { ...stranger, agent_id: agent.agent_id }])
        expect(await add('Not mine.', record_id, other)).toEqual({ verdict: 'not_evaluated' });
      expect(await add('Of no record.', 'dec_20260101_00000000')).toEqual({ verdict: 'not_evaluated' });
      expect(await read()).toEqual([]);
    });

    test('lose their text once, and keep number and time', async () => {
      await add('Poisoned.');
      await add('Fine.');
      const [first, second] = await read();
      const { owner_id } = agent;
      for (const stranger of [(await bench.agent()).owner_id])
        expect(await notes().empty(stranger, record_id, 1)).toBeNull();
      expect(await notes().empty(owner_id, record_id, 3)).toBeNull();
      expect(await notes().empty(owner_id, await graded(bench, agent), 1)).toBeNull();
      expect(await read()).toEqual([first, second]);
      const emptied = await race(8, () => notes().empty(owner_id, record_id, 1));
      expect(emptied.filter((had) => had)).toHaveLength(1);
      expect(emptied.filter((had) => had === false)).toHaveLength(7);
      expect(await read()).toEqual([{ ...first, text: null }, second]);
    });

    test('count once they are empty, and repeat nothing', async () => {
      await add('Poisoned.', record_id, agent, 2);
      await notes().empty(agent.owner_id, record_id, 1);
      expect(await add('Poisoned.', record_id, agent, 2)).toMatchObject({ verdict: 'added', note: { number: 2 } });
      expect(await add('Once more.', record_id, agent, 2)).toEqual({ verdict: 'full' });
    });

    test('are refused to an account that is suspended or gone', async () => {
      const { owner_id } = agent;
      await bench.operators().ownerAdministration.suspend(owner_id);
      await expect(add('Suspended.')).rejects.toMatchObject({ code: 'ACCOUNT_SUSPENDED' });
      await bench.operators().ownerAdministration.resume(owner_id);
      await erase(bench, owner_id);
      await expect(add('Gone.')).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
    });

    test('go with their owner; those of others stay', async () => {
      const other = await bench.agent();
      const kept = await graded(bench, other);
      for (const n of [1, 2, 3]) await add(`Note ${n}.`);
      await add('Of another owner.', kept, other);
      await erase(bench, agent.owner_id);
      expect(await read()).toEqual([]);
      expect((await read(kept)).map(({ text }) => text)).toEqual(['Of another owner.']);
    });

    test('are not there when the transaction that adds them fails', async () => {
      const failing = bench.storage().transaction(async ({ notes: store }) => {
        await add('Taken back.', record_id, agent, 20, store);
        throw new Error('of a test');
      });
      await expect(failing).rejects.toThrow('of a test');
      expect(await read()).toEqual([]);
    });
  },
};

/** An evaluated record. */
async function graded(bench: Bench, agent: AgentCaller): Promise<string> {
  const { record_id } = await bench.accepted(agent);
  await evaluateAll(bench);
  return record_id;
}

async function moderate(bench: Bench, action: 'quarantine' | 'release', subject: string): Promise<void> {
  const now = await bench.now();
  await bench.storage().transaction(async ({ moderation, audit }) => {
    await (action === 'release' ? moderation.release(subject) : moderation.quarantine(subject, 'of a test', now));
    await audit.append({ actor: 'test', action, subject, detail: {} });
  });
}

/** In steps of one row. */
async function erase(bench: Bench, owner_id: string): Promise<void> {
  const { erasures, audit } = bench.storage();
  await erasures.schedule(owner_id);
  await bench.arrange().advance(ERASURE.grace);
  await erasures.remove(owner_id);
  await audit.append({ actor: 'test', action: 'delete_owner', subject: owner_id, detail: {} });
  while ((await erasures.eraseTraces(owner_id, 1)) > 0);
}
