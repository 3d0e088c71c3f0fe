import { expect, test } from '@jest/globals';
import { openAims } from './aims.ts';

test('each aim that was measured is shown as met or missed, in both directions, in the order of the aims', () => {
  const aims = openAims();
  expect(aims.table()).toBeNull();
  aims.note('leaves a second of one worker', 19_999);
  aims.note('get / Parse Server', 5);
  aims.note('create / Parse Server', 2.99);
  aims.note('p99 / p50 of reads at 80 %', 3);
  aims.note('bytes of WAL a decision, submitted, graded, logged', 8_001);
  aims.note('slowest shape of a cohort / the median shape', 4.01, '10,000,000 records: as_of');
  const rows = aims.table()?.split('\n').slice(1) ?? [];
  expect(rows.map((row) => row.replaceAll(/ +/g, ' '))).toEqual([
    'create / Parse Server 2.99 >= 3 missed',
    'get / Parse Server 5.00 >= 5 met',
    'slowest shape of a cohort / the median shape 4.01 <= 4 missed (10,000,000 records: as_of)',
    'p99 / p50 of reads at 80 % 3.00 <= 3 met',
    'bytes of WAL a decision, submitted, graded, logged 8001 <= 8000 missed',
    'leaves a second of one worker 19999 >= 20000 missed',
  ]);
});

test('the last figure of an aim counts, and a figure that is none misses its aim', () => {
  const aims = openAims();
  aims.note('get / Parse Server', 4);
  aims.note('get / Parse Server', Number.NaN);
  expect(aims.table()).toMatch(/^get \/ Parse Server +NaN {2}>= 5 +missed$/m);
});
