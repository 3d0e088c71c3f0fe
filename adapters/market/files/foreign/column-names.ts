/** What columns are called here: `<DATE>` is date, `Adj Close**` adj_close, `1. open` open, `Vol.` vol, `#RIC` ric, `Open ($)` open. */
export function columnName(sent: string): string {
  return sent
    .trim()
    .toLowerCase()
    .replace(/^\d+\.\s+/, '')
    .replace(/[<>()"#]/g, '')
    .replace(/[ .*/-]+/g, '_')
    .replace(/_\$$/, '')
    .replace(/^_+|_+$/g, '');
}

/** The spellings of a price: open, open_price, price_open, px_open (Bloomberg), opening_price. */
function priceNamed(word: string): readonly string[] {
  return [word, `${word}_price`, `price_${word}`, `px_${word}`, `${word}_prc`, `${word}ing_price`, `${word}price`];
}

/** In the order in which they are preferred: instants first, then dates. */
export const TIMES = [
  ...['unix', 'timestamp', 'window_start', 'open_time', 'ts_event', 'time_period_start', 'datetime', 'date_time'],
  ...['gmt_time', 'time_utc', 'local_time', 'candle_date_time_utc', 'trade_time', 'start', 'start_time', 'starttime'],
  ...['startedat', 'opentime', 'begin', 'ticks'],
  ...[
    'date',
    'day',
    'trade_date',
    'trading_date',
    'exchange_date',
    'traddt',
    'date1',
    'dtyyyymmdd',
    '日期',
    '日付',
    '일자',
  ],
  ...['时间', 'time', 'index_level_0'],
];
/** Times that may be dates, with a clock in a column of its own. */
export const DATES = ['date', 'day', 'trade_date', 'dtyyyymmdd', '日期', '日付', '일자'];
export const CLOCKS = ['time', '时间', '時刻', '시간'];
export const PRICES: readonly (readonly string[])[] = [
  [...priceNamed('open'), 'opnpric', '开盘', '始値', '시가', 'o'],
  [...priceNamed('high'), 'hghpric', '最高', '高値', '고가', 'h'],
  [...priceNamed('low'), 'lwpric', '最低', '安値', '저가', 'l'],
  [
    ...[...priceNamed('close'), 'closing_price', 'close_last', 'clspric', '收盘', '終値', '종가', 'latest', 'last'],
    ...['px_last', 'last_price', 'price', 'c'],
  ],
];
export const VOLUMES = [
  ...['volume', 'vol', '成交量', 'real_volume', 'tickvol', 'tick_volume', 'base_volume', 'volume_base', 'px_volume'],
  ...[
    'volumefrom',
    'volume_traded',
    'trading_volume',
    'total_volume',
    'totalvolume',
    'volume_shares',
    'basevolume',
    'basetokenvolume',
    'total_traded_quantity',
    'tottrdqty',
  ],
  ...[
    'ttltradgvol',
    'ttl_trd_qnty',
    'no_of_shares',
    'number_of_shares',
    'shares_traded',
    '出来高',
    '거래량',
    'vo',
    'v',
  ],
];
export const ADJUSTED = [
  ...['adj_close', 'adjclose', 'adjusted_close', 'adjustedclose', 'adj_close_price', 'adjustmentclose', 'adjc'],
];

/** Names that tell a header from a row. */
const HEADER_NAMES: ReadonlySet<string> = new Set([
  ...[...TIMES, ...PRICES.flat(), ...VOLUMES],
  ...['t', 'agg_trade_id', 'quantity'],
]);

export function isHeaderName(name: string): boolean {
  return HEADER_NAMES.has(name);
}
