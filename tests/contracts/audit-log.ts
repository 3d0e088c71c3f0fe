import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { sha256Hex } from '../../application/sha256.ts';
import {
  type AuditEntry,
  type AuditLog,
  BEFORE_THE_FIRST,
  type ChainedEntry,
  type LoggedEntry,
  sealOf,
} from '../../domain/audit-log.ts';
import { type Contract, type Opened, race } from './adapters.ts';

const ENTRY: AuditEntry = {
  actor: 'an operator',
  action: 'refresh_instrument',
  subject: 'crypto:BTC:COINBASE:spot:USD',
  detail: { status: 'queued', revived: { rejected: 1 } },
};

export const auditLogContract: Contract = {
  name: 'audit log',
  promises(open) {
    let opened: Opened;
    let audit: AuditLog;
    beforeAll(async () => {
      opened = await open();
      audit = opened.storage.audit;
    });
    afterAll(() => opened.close());

    /** Appends at a later millisecond than whatever was appended before; returns it as it is stored. */
    async function append(entry: AuditEntry): Promise<LoggedEntry> {
      const { clock } = opened.storage;
      const before = await clock.now();
      while ((await clock.now()) <= before);
      await audit.append(entry);
      const [{ at } = { at: before }] = await audit.about(entry.subject, 1);
      expect(at > before && at <= (await clock.now())).toBe(true);
      return { ...entry, at };
    }

    test('entries are returned as they were written, at the time of the storage, newest first, for one subject only', async () => {
      expect(await audit.head()).toBeNull();
      const first = await append(ENTRY);
      await append({ ...ENTRY, subject: 'something else' });
      const second = await append({ ...ENTRY, actor: 'another' });
      expect(await audit.about(ENTRY.subject, 10)).toEqual([second, first]);
      expect(await audit.about(ENTRY.subject, 1)).toEqual([second]);
      expect(await audit.about('nothing', 10)).toEqual([]);
    });

    test('the newest are listed that fit the whole filter, newest first', async () => {
      const entry = (actor: string, subject: string) => append({ ...ENTRY, actor, subject });
      const a1 = await entry('ada', 'one');
      const b1 = await entry('bob', 'one');
      const a2 = await entry('ada', 'two');
      const a3 = await entry('ada', 'one');
      expect(await audit.list({ since: a1.at }, 10)).toEqual([a3, a2, b1, a1]);
      expect(await audit.list({ since: a2.at }, 10)).toEqual([a3, a2]);
      expect(await audit.list({}, 2)).toEqual([a3, a2]);
      expect(await audit.list({ subject: 'one' }, 10)).toEqual([a3, b1, a1]);
      expect(await audit.list({ actor: 'ada', subject: 'one' }, 10)).toEqual([a3, a1]);
      expect(await audit.list({ actor: 'bob', subject: 'two' }, 10)).toEqual([]);
    });

    test('each entry seals its content and the entry before, also when 20 are written at once', async () => {
      await append({ ...ENTRY, actor: 'Zoë "the\n\u0001 second"', detail: { 'ü\u2028': [1, null, 'a\\b'] } });
      const { transaction } = opened.storage;
      await race(20, (worker) =>
        transaction((stores) => stores.audit.append({ ...ENTRY, subject: `at once ${worker}` })),
      );
      const chain = await opened.storage.evidence.auditAfter(null, 1_000);
      expect(chain.length).toBeGreaterThan(20);
      let last: Pick<ChainedEntry, 'seq' | 'seal'> = { seq: '0', seal: BEFORE_THE_FIRST };
      for (const entry of chain) {
        expect([entry.previous, entry.seal]).toEqual([last.seal, sealOf(entry, sha256Hex)]);
        expect(Number(entry.seq)).toBe(Number(last.seq) + 1);
        last = entry;
      }
      expect(await audit.head()).toEqual({ seq: last.seq, seal: last.seal });
      expect(await opened.storage.evidence.auditAfter('2', 2)).toEqual(chain.slice(2, 4));
    });

    test('what a transaction wrote is gone when it is undone', async () => {
      const fault = new Error('the work failed');
      const work = opened.storage.transaction(async (stores) => {
        await stores.audit.append({ ...ENTRY, subject: 'undone' });
        throw fault;
      });
      await expect(work).rejects.toBe(fault);
      expect(await audit.about('undone', 10)).toEqual([]);
    });
  },
};
