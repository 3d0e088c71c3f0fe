import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { AuditEntry, AuditLog } from '../../domain/audit-log.ts';
import type { Contract, Opened } from './adapters.ts';

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

    test('entries are returned as they were written, newest first, for one subject only', async () => {
      const times = [new Date('2026-01-30T14:30:00.123Z'), new Date('2026-01-30T14:29:00.000Z')] as const;
      await audit.append(ENTRY, times[0]);
      await audit.append({ ...ENTRY, subject: 'something else' }, times[0]);
      await audit.append({ ...ENTRY, actor: 'another' }, times[1]);
      const [second, first] = [
        { ...ENTRY, actor: 'another', at: times[1] },
        { ...ENTRY, at: times[0] },
      ];
      expect(await audit.about(ENTRY.subject, 10)).toEqual([second, first]);
      expect(await audit.about(ENTRY.subject, 1)).toEqual([second]);
      expect(await audit.about('nothing', 10)).toEqual([]);
    });

    test('the newest are listed that fit the whole filter, newest first', async () => {
      const at = (minute: number) => new Date(Date.UTC(2027, 0, 1, 0, minute));
      const entry = (actor: string, subject: string) => ({ ...ENTRY, actor, subject });
      const written = [entry('ada', 'one'), entry('bob', 'one'), entry('ada', 'two'), entry('ada', 'one')];
      for (const [minute, each] of written.entries()) await audit.append(each, at(minute));
      const [a1, b1, a2, a3] = written.map((each, minute) => ({ ...each, at: at(minute) }));
      const since = at(0);
      expect(await audit.list({ since }, 10)).toEqual([a3, a2, b1, a1]);
      expect(await audit.list({ since: at(2) }, 10)).toEqual([a3, a2]);
      expect(await audit.list({}, 2)).toEqual([a3, a2]);
      expect(await audit.list({ subject: 'one' }, 10)).toEqual([a3, b1, a1]);
      expect(await audit.list({ actor: 'ada', subject: 'one' }, 10)).toEqual([a3, a1]);
      expect(await audit.list({ actor: 'bob', subject: 'two' }, 10)).toEqual([]);
    });

    test('what a transaction wrote is gone when it is undone', async () => {
      const fault = new Error('the work failed');
      const work = opened.storage.transaction(async (stores) => {
        await stores.audit.append({ ...ENTRY, subject: 'undone' }, new Date());
        throw fault;
      });
      await expect(work).rejects.toBe(fault);
      expect(await audit.about('undone', 10)).toEqual([]);
    });
  },
};
