import { type KeptStore, keptAfter } from '../../../domain/quotas/kept-days.ts';
import { utcDate } from '../../../domain/time.ts';
import { keptKey, limitsNow, type QuotaTables } from './quota-tables.ts';

/** Judges every subject first, so that a refusal has nothing to take back. */
export function memoryKept(tables: QuotaTables, now: () => Date): KeptStore {
  return {
    async keep({ kind, subjects, ...more }) {
      const day = utcDate(limitsNow(tables, now()));
      const days = subjects.map((subject) => {
        const key = keptKey(subject.hash, kind, day);
        const used = tables.keptDays.get(key) ?? { rows: 0, bytes: 0 };
        return { key, subject, used, after: keptAfter(used, more, subject.most) };
      });
      const full = days.find(({ after }) => after === null);
      if (full) {
        const { rows, bytes } = full.used;
        return { subject: full.subject, used: { rows, bytes }, at: now() };
      }
      for (const { key, after } of days) if (after) tables.keptDays.set(key, { ...after, day });
      return null;
    },
  };
}
