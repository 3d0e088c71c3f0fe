import { expect, test } from '@jest/globals';
import type { Client, Cohort } from '../../../scripts/demo/client.ts';
import { cohortsInWords } from '../../../scripts/demo/cohorts.ts';

const counts = (...[strong_correct = 0, weak_correct = 0, weak_incorrect = 0, strong_incorrect = 0]: number[]) => ({
  strong_correct,
  weak_correct,
  weak_incorrect,
  strong_incorrect,
});
const SHOWN: Cohort['overview'] = {
  sample_count: 10,
  result_distribution: counts(4, 3, 2, 1),
  had_said: { bullish: counts(1, 2, 3, 4), bearish: counts(4, 3, 2, 1), neutral: counts(2, 3, 3, 2) },
  suppression: { reason: null },
};
const WITHHELD: Cohort['overview'] = {
  sample_count: null,
  result_distribution: null,
  had_said: null,
  suppression: { reason: 'too_few_samples' },
};

test('counts of a cohort are shown next to what each direction would have got, and withheld ones with their reason', async () => {
  const wisdom: Client['wisdom'] = async (_, query) => ({
    overview: query.includes('include_retroactive') ? SHOWN : WITHHELD,
    items: [{ record_id: 'dec_20260302_00000001' }],
    next_cursor: null,
  });
  const words = (await cohortsInWords({ wisdom } as Client, 'key')).split('\n');
  expect(words.slice(0, 3)).toEqual([
    'What cohorts of all owners say',
    '  all on MSFT: 10 records; 4 strong_correct, 3 weak_correct, 2 weak_incorrect, 1 strong_incorrect',
    '    in the same windows: bullish 1 / 2 / 3 / 4; bearish 4 / 3 / 2 / 1; neutral 2 / 3 / 3 / 2',
  ]);
  expect(words).toContain('  all on MSFT, not retroactive: withheld, too_few_samples');
  expect(words.at(-1)).toBe('  The first of them in 1 pages: 1 rows, 1 records.');
});
