// An agent that expects MSFT to return to its mean: `node agent.ts closes.csv`, with STANCEBOOK_URL and STANCEBOOK_API_KEY.
import { readFileSync } from 'node:fs';
import { Stancebook } from '../typescript/client.ts'; // installed: 'stancebook-client'

const { STANCEBOOK_URL: url = '', STANCEBOOK_API_KEY: apiKey = '' } = process.env;
const book = new Stancebook({ url, apiKey });

const rows = readFileSync(process.argv[2] ?? 'closes.csv', 'utf8')
  .trim()
  .split('\n')
  .slice(1);
const closes = rows.map((row) => Number(row.split(',')[1]));
const data_cutoff = rows.at(-1)?.split(',')[0] ?? '';
const [last = 0, mean] = [closes.at(-1), closes.reduce((sum, close) => sum + close, 0) / closes.length];
const direction = last < mean ? 'bullish' : 'bearish';
const instrument = {
  market: 'stock',
  symbol: 'MSFT',
  venue: 'NASDAQ',
  asset_class: 'spot',
  quote_currency: 'USD',
} as const;

const about = { market: 'stock', symbol: 'MSFT', direction } as const;
const prompt = await book.recall(about);
console.log('The first prompt had:', prompt.text.split('\n')[3]);
const { overview } = await book.cohort({ ...instrument, direction, include_retroactive: true });
console.log('Counts of such decisions:', overview.result_distribution ?? overview.suppression.reason);

const { record_id } = await book.submit({
  ...instrument,
  direction,
  horizon_kind: 'trading_days',
  horizon_value: 5,
  data_cutoff,
  key_factors: [`Last close ${last.toFixed(2)}, mean of ${closes.length} closes ${mean.toFixed(2)}`],
  service_interaction: { consulted: true, wisdom_queries: 1 },
  inputs: [{ kind: 'prompt', name: 'recall', sha256: prompt.sha256 }],
});
console.log('Submitted:', record_id, direction);
const { outcome } = await book.waitForOutcome(record_id);
console.log('Graded:', outcome?.result_bucket, `return ${(100 * (outcome?.raw_return ?? 0)).toFixed(2)} %`);
await book.note(record_id, 'The mean of so few closes was no anchor');
const { text } = await book.recall(about);
console.log(['The second prompt has:', ...text.split('\n').slice(3, 5)].join('\n'));
