/** A decision that a new owner may send first. */
export interface Example {
  readonly words: string;
  readonly body: Readonly<Record<string, unknown>>;
  /** Whether it is about now: its data end when it is sent. */
  readonly isLive: boolean;
}

const SPOT = { asset_class: 'spot', quote_currency: 'USD', direction: 'bullish' } as const;
const STOCK = { market: 'stock', venue: 'NASDAQ', ...SPOT, horizon_kind: 'trading_days' } as const;

/** The first whose prices the service has is proposed; the last one needs the prices of the next hour. */
export const EXAMPLES: readonly [Example, ...Example[]] = [
  {
    words:
      'Before the open on 13 February 2003, Microsoft will be higher after five trading days. Its window is over, so it is graded at once.',
    body: {
      ...{ ...STOCK, symbol: 'MSFT', horizon_value: 5, data_cutoff: '2003-02-13T14:00:00Z' },
      key_factors: ['Stock split announced'],
    },
    isLive: false,
  },
  {
    words:
      'Before the open on 10 October 2008, Texas Instruments will be higher a trading day later. Its window is over, so it is graded at once.',
    body: {
      ...{ ...STOCK, symbol: 'TXN', horizon_value: 1, data_cutoff: '2008-10-10T13:00:00Z' },
      key_factors: ['Lowest close in five years'],
    },
    isLive: false,
  },
  {
    words: 'Bitcoin will be higher in an hour. It is graded once the hour is over.',
    body: {
      ...{ market: 'crypto', symbol: 'BTC', venue: 'COINBASE', ...SPOT },
      ...{ horizon_kind: 'holding_seconds', horizon_value: 3_600 },
    },
    isLive: true,
  },
];

/** What stands for a key that is not known in this tab. */
export const KEY_NAME = '$STANCEBOOK_API_KEY';

/** One line for a shell, with the address of the service and the key in it. */
export function curlOf({ body, isLive }: Example, origin: string, key: string | null): string {
  const text = JSON.stringify(isLive ? { ...body, data_cutoff: NOW } : body).replace(NOW, NOW_IN_SHELL);
  const header = key === null ? `"X-API-Key: ${KEY_NAME}"` : `'X-API-Key: ${key}'`;
  return `curl -s ${origin}/api/v1/agent/decisions -H ${header} -H 'content-type: application/json' -d '${text}'`;
}

const NOW = '{now}';
const NOW_IN_SHELL = `'$(date -u +%FT%TZ)'`;

/** What is sent from the page instead. */
export function bodyOf({ body, isLive }: Example, now: Date): Readonly<Record<string, unknown>> {
  return isLive ? { ...body, data_cutoff: now.toISOString() } : body;
}
