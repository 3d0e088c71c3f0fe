import { randomUUID } from 'node:crypto';
import { type DecisionSubmission, Stancebook } from '../../../clients/typescript/client.ts';

export interface Account {
  readonly email: string;
  readonly password: string;
  readonly apiKey: string;
}

/** A new account with an agent and its key. */
export async function openAccount(url: string): Promise<Account> {
  const [email, password] = [`${randomUUID()}@example.com`, 'four plain words, spaced'];
  const { api_key } = await new Stancebook({ url }).request<{ readonly api_key: string }>({
    method: 'POST',
    path: '/api/v1/public/auth/quick-setup',
    body: { email, password },
  });
  return { email, password, apiKey: api_key };
}

/** Times before the open of as many days from 13 February 2003 on. */
export function tradingDays(count: number): readonly string[] {
  const first = Date.parse('2003-02-13T14:00:00Z');
  return Array.from({ length: count }, (_, day) => new Date(first + day * 86_400_000).toISOString());
}

/** The README's decision, on data of another time. */
export function decisionOn(data_cutoff: string): DecisionSubmission {
  return {
    market: 'stock',
    symbol: 'MSFT',
    venue: 'NASDAQ',
    asset_class: 'spot',
    quote_currency: 'USD',
    direction: 'bullish',
    horizon_kind: 'trading_days',
    horizon_value: 5,
    data_cutoff,
    key_factors: ['Stock split announced'],
  };
}
