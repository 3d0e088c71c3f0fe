// What docs/cohorts.md computes in Python, of six decisions: `node cohort-statistics.ts`.
import {
  averageUniqueness,
  benjaminiHochberg,
  disjointWindows,
  permutationTest,
  wilsonInterval,
} from '../typescript/stats.ts'; // installed: 'stancebook-client/stats'

const MSFT = { market: 'stock', symbol: 'MSFT', venue: 'NASDAQ', asset_class: 'spot', quote_currency: 'USD' } as const;
const ROSE = { bullish: 'strong_correct', bearish: 'strong_incorrect', neutral: 'weak_incorrect' } as const;
const FELL = { bullish: 'strong_incorrect', bearish: 'strong_correct', neutral: 'weak_incorrect' } as const;

const decisions = (
  [
    // the members of records that count
    ['bullish', '05', '06', ROSE],
    ['bearish', '07', '08', FELL],
    ['bullish', '12', '13', ROSE],
    ['bearish', '14', '15', FELL],
    ['bearish', '15', '15', FELL],
    ['bullish', '12', '13', ROSE],
  ] as const
).map(([direction, first, last, had_said]) => ({
  ...MSFT,
  direction,
  outcome: { had_said },
  window: { anchor_time: `2026-01-${first}T14:30:00Z`, end_time: `2026-01-${last}T21:00:00Z` },
}));
const observations = averageUniqueness(decisions).reduce((sum, share) => sum + share, 0);
console.log(`Observations: ${observations.toFixed(2)} of ${decisions.length}`);
const tested = permutationTest(disjointWindows(decisions), { seed: 7 });
if (!tested) throw new Error('None of them is graded.');
const { count, of, expected, p, permutations } = tested;
console.log(`Correct: ${count} of ${of}, by chance ${expected}, p ${p.toFixed(3)} of ${permutations} permutations`);
const { low, high } = wilsonInterval(count, of);
console.log(`Share: ${low.toFixed(2)} to ${high.toFixed(2)}`);
for (const each of benjaminiHochberg([
  { question: 'MSFT', p },
  { question: 'AAPL', p: 0.02 },
])) {
  console.log(`${each.question}: ${each.adjusted.toFixed(3)}, found: ${each.found ? 'True' : 'False'}`);
}
