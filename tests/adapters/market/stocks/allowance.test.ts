import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { pace } from '../../../../adapters/market/source-client.ts';
import { perMinute } from '../../../../adapters/market/stocks/alpaca.ts';
import { MINUTE, SECOND } from '../../../../domain/time.ts';

test('no minute, wherever it begins, has more requests than the plan allows, however they come', () => {
  const arrivals = fc.array(fc.integer({ min: 0, max: 20 * SECOND }), { minLength: 1, maxLength: 300 });
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 60 }), arrivals, (allowed, gaps) => {
      const turns = pace(perMinute(allowed));
      const sent: number[] = [];
      let now = 1_000_000_000_000;
      for (const gap of gaps) {
        now += gap < 15 * SECOND ? 0 : gap;
        const wait = turns.book(1, now);
        if (wait !== null) sent.push(now + wait);
      }
      const counts = sent.map((start) => sent.filter((at) => at >= start && at < start + MINUTE).length);
      expect(Math.max(...counts)).toBeLessThanOrEqual(allowed);
    }),
    { numRuns: 200 },
  );
});
