// What each script of a host sends, and how it reports. It runs next to the host's packages, outside of the project.

export const url = `${process.env.STANCEBOOK_URL}/mcp`;

export const headers = { 'X-API-Key': process.env.STANCEBOOK_API_KEY };

/** Arguments of submit_decision, with every kind of value. */
export const sent = {
  decision: {
    market: 'stock',
    symbol: 'MSFT',
    venue: 'NASDAQ',
    asset_class: 'spot',
    quote_currency: 'USD',
    direction: 'bullish',
    horizon_kind: 'trading_days',
    horizon_value: 5,
    data_cutoff: '2003-02-13T14:00:00Z',
    key_factors: [{ factor: 'Stock split announced', weight: 0.5 }],
    confidence: 0.7,
    execution_info: { executed: false },
  },
  validate_only: true,
};

/** What the scripted model of an agent calls, in this order. */
export function turns(decision) {
  return [
    { name: 'recall', args: { market: 'stock', symbol: 'MSFT' } },
    { name: 'submit_decision', args: decision },
  ];
}

/**
 * Prints what the host saw: how many tools, and whether its reply says that the decision is valid, after the reply of
 * recall to an agent.
 */
export function report(tools, reply, recalled = 'Own record of stock MSFT') {
  const isValid = /\\*"valid\\*":\s*true/.test(JSON.stringify(reply));
  const isRecalled = JSON.stringify(recalled).includes('Own record of stock MSFT');
  const faults = [...(isValid ? [] : [reply]), ...(isRecalled ? [] : [recalled])];
  console.log(`${tools.length} tools, ${faults.length === 0 ? 'a valid decision' : JSON.stringify(faults)}`);
  process.exit(faults.length === 0 ? 0 : 1);
}
