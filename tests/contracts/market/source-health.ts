import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { SourceHealthStore, SourceReport } from '../../../domain/market/source-health.ts';
import { DAY } from '../../../domain/time.ts';
import { type Contract, type Opened, race } from '../adapters.ts';

const NOW = new Date('2026-01-30T12:00:00.000Z');
const after = (millis: number) => new Date(NOW.getTime() + millis);

function report(source: string, changes: Partial<SourceReport> = {}): SourceReport {
  const known = { failures: 0, last_error: null, last_error_at: null, last_success_at: NOW };
  return { source, serves: 'crypto KRAKEN', state: 'healthy', ...known, ...changes };
}

export const sourceHealthContract: Contract = {
  name: 'source health',
  promises(open) {
    let opened: Opened;
    let health: SourceHealthStore;
    beforeAll(async () => {
      opened = await open();
      health = opened.storage.sourceHealth;
    });
    afterAll(() => opened.close());

    test('reports are returned in the order of their sources, then of their processes', async () => {
      const error = { last_error: 'answered 503', last_error_at: NOW };
      const failing = report('kraken', { state: 'paused', failures: 7, ...error, last_success_at: null });
      await health.record('b', [failing, report('binance')], NOW);
      await health.record('a', [report('kraken')], after(1));
      expect(await health.reportsSince(NOW)).toEqual([
        { ...report('binance'), process: 'b', reported_at: NOW },
        { ...report('kraken'), process: 'a', reported_at: after(1) },
        { ...failing, process: 'b', reported_at: NOW },
      ]);
      expect(await health.reportsSince(after(1))).toMatchObject([{ process: 'a' }]);
    });

    test('a new report replaces the old ones of its process, and no others', async () => {
      await health.record('b', [report('okx')], after(2));
      expect(await health.reportsSince(NOW)).toMatchObject([
        { source: 'kraken', process: 'a' },
        { source: 'okx', process: 'b' },
      ]);
      await health.record('b', [], after(3));
      expect(await health.reportsSince(NOW)).toMatchObject([{ process: 'a' }]);
    });

    test('recording a report deletes reports that are a day old', async () => {
      await health.record('old', [report('okx')], NOW);
      await health.record('new', [report('okx')], after(DAY));
      expect(await health.reportsSince(NOW)).toMatchObject([{ process: 'a' }, { process: 'new' }, { process: 'old' }]);
      await health.record('new', [], after(DAY + 2));
      expect(await health.reportsSince(new Date(0))).toEqual([]);
    });

    test('the reports of 20 processes at once are all recorded', async () => {
      await race(20, (worker) => health.record(`process ${worker}`, [report('okx')], after(worker)));
      expect(await health.reportsSince(NOW)).toHaveLength(20);
    });
  },
};
