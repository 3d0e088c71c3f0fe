import type { Direction } from '../../../domain/decisions/call.ts';
import type { Submission } from '../../../domain/decisions/submission/submission.ts';

/** What differs between the submissions of a campaign. */
export interface Call {
  readonly symbol: string;
  readonly direction: Direction;
}

/** A submission as the body of a request. */
export type SubmissionBody = Omit<Submission, 'meta'> & { readonly meta: object };

/** A swing call of a usual size, about 1 KB of JSON, on data of `at`. */
export function submissionOf({ symbol, direction }: Call, at: Date): SubmissionBody {
  return {
    market: 'crypto',
    symbol,
    venue: 'BINANCE',
    asset_class: 'spot',
    quote_currency: 'USDT',
    direction,
    horizon_kind: 'trading_days',
    horizon_value: 20,
    data_cutoff: at.toISOString(),
    perspective_type: 'technical',
    key_factors: [
      {
        factor: 'Closed above its 50-day average on twice the usual volume',
        id: 'trend',
        dimension: 'price',
        weight: 0.5,
      },
      { factor: 'Funding fell back to neutral after a week of crowded longs', id: 'funding', dimension: 'positioning' },
      {
        factor: 'Exchange balances are at their lowest in six months',
        depends_on: ['funding'],
        metric: { name: 'exchange_balance_change', value: -0.042, unit: 'fraction' },
      },
      'The quarterly unlock is behind it',
    ],
    reference_price: 101.25,
    confidence: 0.62,
    model: { id: 'swing-agent-4', knowledge_cutoff: '2025-06-30T00:00:00Z' },
    summary: 'Momentum and positioning agree; the call fails if the average is lost again within the first week.',
    tags: ['momentum', 'positioning'],
    meta: { run: '7f3c9a52', prompt_tokens: 18_204, tools: ['bars', 'funding', 'balances'] },
  };
}
