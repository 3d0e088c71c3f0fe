import { beforeEach, expect, test } from '@jest/globals';
import type { ReadMark } from '../../domain/events/digest.ts';
import { API_KEY } from '../../domain/limits.ts';
import { DAY, HOUR, utcDate } from '../../domain/time.ts';
import { aKeyOf } from '../builders/accounts.ts';
import { auditedModeration } from '../builders/audited-moderation.ts';
import type { DecisionContract } from './decisions/bench.ts';
import { evaluateAll, FAR } from './decisions/evaluated.ts';

/** The promises of digests and of read marks. */
export const digestContract: DecisionContract = {
  name: 'the digests of owners',
  promises(bench) {
    beforeEach(() => evaluateAll(bench));
    const digest = async (owner_id: string, mark: ReadMark | null = null, atMost = 1_000, ago = 30 * DAY) => {
      await bench.arrange().settle();
      const since = new Date((await bench.now()).getTime() - ago);
      return bench.storage().events.digest(owner_id, mark, { since, atMost });
    };
    const quarantine = (record_id: string) => auditedModeration(bench.storage()).quarantine(record_id, 'a test', FAR);

    test('an owner without events has no line, and a mark behind all that is complete', async () => {
      const { owner_id } = await bench.agent();
      const { lines, end, isCut } = await digest(owner_id);
      expect([lines, isCut]).toEqual([[], false]);
      expect(end.at).toEqual(await bench.now());
      expect((await digest(owner_id, end)).lines).toEqual([]);
    });

    test('equal events of a day are one line with what the newest names; steps on the way are in none', async () => {
      const agent = await bench.agent();
      const other = await bench.agent();
      const ids: string[] = [];
      for (const symbol of ['DIGA', 'DIGB', 'DIGC']) ids.push((await bench.accepted(agent, { symbol })).record_id);
      await evaluateAll(bench);
      await quarantine(ids[1] ?? '');
      await bench.arrange().circuit('USDT', 'tripped');
      const at = await bench.now();
      const { lines } = await digest(agent.owner_id);
      const day = utcDate(at);
      expect(lines.toSorted((a, b) => (a.kind < b.kind ? -1 : 1))).toEqual([
        { day, kind: 'graded', total: 3, unread: 3, at: expect.any(Date), subject: expect.stringMatching(/^dec_/) },
        { day, kind: 'quarantined', total: 1, unread: 1, at, subject: ids[1] },
      ]);
      expect((await digest(other.owner_id)).lines).toEqual([]);
      await bench.arrange().circuit('USDT', 'normal');
    });

    test('what was read is counted, not as unread; a mark of another history covers nothing', async () => {
      const { owner_id, ...agent } = await bench.agent();
      const first = await bench.accepted({ owner_id, ...agent }, { symbol: 'READA' });
      await quarantine(first.record_id);
      const { end } = await digest(owner_id);
      const second = await bench.accepted({ owner_id, ...agent }, { symbol: 'READB' });
      await quarantine(second.record_id);
      const read = await digest(owner_id, end);
      expect(read.lines).toMatchObject([{ kind: 'quarantined', total: 2, unread: 1, subject: second.record_id }]);
      expect((await digest(owner_id, read.end)).lines).toMatchObject([{ total: 2, unread: 0 }]);
      const [, ...numbers] = end.place.split(' ');
      const elsewhere = { ...end, place: ['another', ...numbers].join(' ') };
      expect((await digest(owner_id, elsewhere)).lines).toMatchObject([{ total: 2, unread: 2 }]);
    });

    test('days are those of UTC, the newest first; what is older than the time is left out', async () => {
      const now = await bench.now();
      const agent = await bench.agent();
      await quarantine((await bench.accepted(agent, { symbol: 'DAYA' })).record_id);
      await bench.arrange().freeze(new Date(now.getTime() + DAY));
      const { record_id } = await bench.accepted(agent, { symbol: 'DAYB' });
      await quarantine(record_id);
      const days = (await digest(agent.owner_id)).lines.filter(({ kind }) => kind === 'quarantined');
      expect(days.map(({ day }) => day)).toEqual([utcDate(now.getTime() + DAY), utcDate(now)]);
      const late = await digest(agent.owner_id, null, 1_000, HOUR);
      expect(late.lines.filter(({ kind }) => kind === 'quarantined')).toMatchObject([{ total: 1, subject: record_id }]);
      await bench.arrange().freeze(now);
    });

    test('of more events than it counts the newest are counted, and it says so', async () => {
      const agent = await bench.agent();
      for (const symbol of ['CUTA', 'CUTB']) await quarantine((await bench.accepted(agent, { symbol })).record_id);
      const all = await digest(agent.owner_id);
      expect([all.isCut, all.lines.find(({ kind }) => kind === 'quarantined')?.total]).toEqual([false, 2]);
      const cut = await digest(agent.owner_id, null, 1);
      expect([cut.isCut, cut.lines]).toEqual([true, [expect.objectContaining({ kind: 'quarantined', total: 1 })]]);
    });

    test('each key that expires has a line', async () => {
      const { owner_id } = await bench.agent();
      const created_at = await bench.now();
      const keys = [];
      for (const days of [1, 2]) {
        const key = { ...aKeyOf({ owner_id }), created_at, expires_at: new Date(created_at.getTime() + days * DAY) };
        await bench.storage().apiKeys.add(key, 100);
        keys.push(key.key_prefix);
      }
      expect(2 * DAY).toBeLessThan(API_KEY.expiryNotice);
      await bench.storage().events.noteExpiringKeys(100);
      const { lines } = await digest(owner_id);
      expect(lines.map(({ kind, subject }) => [kind, subject]).toSorted()).toEqual(
        keys.toSorted().map((key) => ['key_expiring', key]),
      );
    });

    test('a read mark is kept for each owner, and never goes back', async () => {
      const [{ owner_id }, other] = [await bench.agent(), await bench.agent()];
      const { events } = bench.storage();
      const at = await bench.now();
      const mark = (place: string, later: number) => ({ place, at: new Date(at.getTime() + later) });
      expect(await events.readMark(owner_id)).toBeNull();
      await events.setReadMark(owner_id, mark('a 1', 0));
      expect(await events.readMark(owner_id)).toEqual(mark('a 1', 0));
      await events.setReadMark(owner_id, mark('a 2', 5));
      await events.setReadMark(owner_id, mark('a 1', 4));
      expect(await events.readMark(owner_id)).toEqual(mark('a 2', 5));
      expect(await events.readMark(other.owner_id)).toBeNull();
      const nobody = '00000000-0000-4000-8000-000000000000';
      await events.setReadMark(nobody, mark('a 1', 0));
      expect(await events.readMark(nobody)).toBeNull();
    });
  },
};
