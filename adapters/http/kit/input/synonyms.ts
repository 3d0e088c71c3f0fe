/** What to send, and the words that callers send in its place. */
type Replacement = readonly [send: readonly string[], words: readonly string[]];

/**
 * Members that callers often name otherwise, with the contract's own. Where a word means different members in different
 * objects, the first row whose members the object has applies.
 */
const MEMBERS: readonly Replacement[] = [
  [['symbol'], ['ticker', 'asset', 'instrument', 'pair', 'coin', 'stock', 'security', 'base_currency']],
  [['venue'], ['exchange', 'mic']],
  [['asset_class'], ['asset_type', 'instrument_type', 'security_type', 'product_type']],
  [['quote_currency'], ['quote', 'currency', 'counter_currency']],
  [
    ['direction'],
    [
      ...['side', 'action', 'signal', 'position', 'stance', 'bias', 'prediction', 'call', 'sentiment'],
      ...['long', 'short', 'up', 'down', 'buy', 'sell', 'bullish', 'bearish', 'neutral'],
    ],
  ],
  [
    ['horizon_kind', 'horizon_value'],
    [
      ...['horizon', 'time_horizon', 'timeframe', 'time_frame', 'duration', 'period', 'holding_period', 'expiry'],
      ...['holding_seconds', 'trading_days', 'horizon_days', 'horizon_seconds', 'horizon_hours', 'days', 'seconds'],
    ],
  ],
  [['horizon_kind'], ['horizon_unit', 'horizon_type']],
  [
    ['data_cutoff'],
    [
      'timestamp',
      'time',
      'datetime',
      'date',
      'cutoff',
      'cutoff_time',
      'data_time',
      'data_as_of',
      'as_of',
      'decision_time',
    ],
  ],
  [['fill_price'], ['price', 'entry_price']],
  [['fill_time'], ['time', 'timestamp', 'executed_at']],
  [['fees'], ['fee', 'commission']],
  [['factor'], ['text', 'name', 'reason', 'title', 'description', 'summary']],
  [['key_factors'], ['reason', 'reasons', 'rationale', 'reasoning', 'factors', 'evidence', 'arguments', 'drivers']],
  [['summary'], ['thesis', 'description', 'note', 'notes', 'comment', 'explanation', 'text']],
  [['weight'], ['confidence', 'importance', 'strength']],
  [['confidence'], ['probability', 'prob', 'certainty', 'conviction', 'likelihood', 'score']],
  [['reference_price'], ['price', 'current_price', 'last_price', 'spot_price', 'market_price']],
  [['entry'], ['entry_price', 'price']],
  [['targets'], ['target', 'target_price', 'take_profit', 'take_profits', 'tp']],
  [['stop_loss'], ['stop', 'stop_price', 'sl', 'trailing_stop']],
  [
    ['price_targets'],
    [
      ...['target', 'targets', 'target_price', 'price_target', 'take_profit', 'take_profits', 'tp'],
      ...['stop', 'stop_price', 'stop_loss', 'sl', 'trailing_stop', 'entry', 'entry_price'],
    ],
  ],
  [['threshold'], ['price', 'level', 'value']],
  [['perspective_type'], ['perspective', 'analysis_type', 'method', 'approach']],
  [['workflow_ref'], ['workflow', 'workflow_hash', 'workflow_id']],
  [['related_records'], ['related', 'relations', 'references', 'parents', 'parent_record_id']],
  [['record_id'], ['id', 'target', 'target_record_id', 'decision_id']],
  [['relation'], ['type', 'kind']],
  [['model'], ['model_id', 'model_name', 'llm', 'agent_model']],
  [['knowledge_cutoff'], ['cutoff', 'training_cutoff', 'data_cutoff']],
  [['tags'], ['labels', 'keywords', 'categories']],
  [['meta'], ['metadata', 'extra', 'extras', 'custom', 'context', 'data']],
  [['data_cutoff_since'], ['since', 'from', 'start', 'start_date', 'date_from']],
  [['data_cutoff_until'], ['until', 'to', 'end', 'end_date', 'date_to']],
  [['submitted_since'], ['since', 'from', 'start', 'start_date', 'date_from']],
  [['submitted_until'], ['until', 'to', 'end', 'end_date', 'date_to']],
  [['date_from'], ['since', 'from', 'start', 'start_date']],
  [['date_to'], ['until', 'to', 'end', 'end_date']],
  [['result_bucket'], ['outcome', 'result', 'bucket']],
  [['lifecycle_state'], ['state', 'status']],
  [['limit'], ['count', 'size', 'page_size', 'per_page', 'max_results']],
  [['per_page'], ['limit', 'count', 'size', 'page_size']],
  [['cursor'], ['next_cursor', 'page', 'page_token', 'offset', 'after']],
  [['agent_name'], ['name', 'agent', 'display_name']],
  [['permission_mode'], ['mode', 'permission', 'permissions', 'scope', 'scopes']],
  [['node_id'], ['type', 'kind', 'template']],
  [['config'], ['params', 'parameters', 'settings', 'options']],
  [['from'], ['source', 'src']],
  [['to'], ['target', 'destination', 'dst']],
];

/** Values that callers often write otherwise, with the contract's own. */
const VALUES: readonly Replacement[] = [
  [['stock'], ['stocks', 'equity', 'equities', 'share', 'shares']],
  [['crypto'], ['cryptocurrency', 'coin', 'coins']],
  [['spot'], ['stock', 'equity', 'cash']],
  [['perp'], ['perpetual', 'perpetuals', 'future', 'futures', 'swap']],
  [
    ['bullish'],
    [
      ...['long', 'buy', 'up', 'bull', 'call', 'higher', 'rise', 'positive'],
      ...['overweight', 'strong_buy', 'accumulate', 'outperform', 'add', 'cover', 'market_outperform', 'upgrade'],
      ...['strong_bullish', 'very_bullish', 'slightly_bullish', 'strongly_bullish', 'buy_to_cover', 'risk_on', 'rally'],
      ...['buy_to_open', 'open_long', 'go_long', 'top_pick'],
    ],
  ],
  [
    ['bearish'],
    [
      ...['short', 'sell', 'down', 'bear', 'put', 'lower', 'fall', 'negative'],
      ...[
        'underweight',
        'strong_sell',
        'reduce',
        'trim',
        'underperform',
        'distribute',
        'avoid',
        'downgrade',
        'lighten',
      ],
      ...['strong_bearish', 'very_bearish', 'slightly_bearish', 'strongly_bearish', 'sell_short', 'risk_off', 'exit'],
      ...['sell_to_open', 'open_short', 'go_short'],
    ],
  ],
  [
    ['neutral'],
    [
      ...['flat', 'hold', 'sideways', 'range', 'none', 'unchanged'],
      ...[
        'market_perform',
        'sector_perform',
        'peer_perform',
        'perform',
        'in_line',
        'inline',
        'equal_weight',
        'equalweight',
      ],
      ...['market_weight', 'wait', 'no_trade', 'pass', 'range_bound', 'mixed'],
    ],
  ],
  [['holding_seconds'], ['seconds', 'second', 'sec', 's', 'minutes', 'hours', 'calendar_days']],
  [['trading_days'], ['days', 'day', 'd', 'trading_day', 'business_days', 'sessions']],
  [['trade_plan'], ['plan', 'trade', 'setup']],
  [['opinion'], ['view', 'analysis', 'prediction', 'forecast']],
  [['technical'], ['ta', 'technicals', 'chart', 'price_action']],
  [['fundamental'], ['fa', 'fundamentals', 'valuation']],
  [['sentiment'], ['news', 'social']],
  [['quantitative'], ['quant', 'statistical', 'model']],
  [['macro'], ['macroeconomic', 'economic']],
  [['composite'], ['mixed', 'multi', 'hybrid', 'combined']],
  [['drops_below'], ['below', 'under', 'price_below', 'less_than']],
  [['rises_above'], ['above', 'over', 'price_above', 'greater_than']],
  [['read_write'], ['write', 'rw', 'readwrite', 'submit', 'full']],
  [['read_only'], ['read', 'ro', 'readonly', 'query']],
];

/** What to send in place of an unknown member of an object with these members, if the word is a usual one. */
export function memberInstead(word: string, members: readonly string[]): string | undefined {
  return instead(MEMBERS, word, members)?.join(' and ');
}

/** The one of these values that a caller means by another word for it, or by another case. */
export function valueInstead(word: unknown, values: readonly unknown[]): string | undefined {
  if (typeof word !== 'string') return undefined;
  const texts = values.map(String);
  const plain = word.trim().toLowerCase();
  const bare = plain.replace(DEGREE, '');
  return [plain, bare]
    .map((each) => texts.find((text) => text === each) ?? instead(VALUES, each, texts)?.join())
    .find((each) => each !== undefined);
}

/** How strongly something is said, which no value of the contract says. */
const DEGREE = /^((very|extremely|high|(strong|moderate|mild|slight|weak)(ly)?|conviction|speculative)[-\s_]+)+/;

function instead(table: readonly Replacement[], word: string, known: readonly string[]): readonly string[] | undefined {
  const plain = word.toLowerCase().replace(/[-\s]+/g, '_');
  return table.find(([send, words]) => words.includes(plain) && send.every((each) => known.includes(each)))?.[0];
}
