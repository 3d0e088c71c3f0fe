import { expect, test } from '@jest/globals';
import { openAims } from './aims.ts';

test('each aim that was measured is shown as met or missed, in both directions', () => {
  const aims = openAims();
  expect(aims.table()).toBeNull();
  aims.note('get / Parse Server', 3);
  aims.note('create / Parse Server', 1.69);
  aims.note('p99 / p50 of reads at 80 %', 4);
  aims.note('seconds from the second start to ready', 1.61);
  const rows = aims.table()?.split('\n').slice(1) ?? [];
  expect(rows.map((row) => row.replaceAll(/ +/g, ' '))).toEqual([
    'create / Parse Server 1.69 at least 1.7: missed',
    'get / Parse Server 3.00 at least 3: met',
    'p99 / p50 of reads at 80 % 4.00 at most 4: met',
    'seconds from the second start to ready 1.61 at most 1.6: missed',
  ]);
});
