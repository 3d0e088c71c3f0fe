import { describe, expect, test } from '@jest/globals';
import { zipSync } from 'fflate';
import { readImport } from '../../../clients/typescript/import/read-file.ts';
import { calls, NOW, type Options, readFixture, readText, refusals } from './read-import.ts';

describe('freqtrade', () => {
  const trade = (more: object) => ({
    pair: 'BTC/USDT',
    open_date: '2024-01-10 07:15:00+00:00',
    open_timestamp: 1704870900000,
    open_rate: 46_000,
    initial_stop_loss_abs: 41_400,
    stop_loss_abs: 45_900,
    trade_duration: 30,
    exit_reason: 'roi',
    enter_tag: 'dip',
    leverage: 1,
    is_short: false,
    ...more,
  });
  const result = (trades: readonly object[]) => ({ strategy: { Dip: { trades } }, strategy_comparison: [] });
  const options = { horizon: '4h', venue: 'BINANCE' };

  test('makes a row of each trade: its first stop, its tag, no outcome', async () => {
    const { about, rows } = await readText(result([trade({})]), options);
    expect(about).toEqual({
      source: 'freqtrade back-test, strategy Dip',
      horizon_rule: '14400 seconds after each entry, one rule for the file',
    });
    expect(rows.map(({ row }) => row)).toEqual([
      {
        external_id: expect.stringMatching(/^freqtrade-[0-9a-f]{32}$/),
        market: 'crypto',
        symbol: 'BTC',
        venue: 'BINANCE',
        asset_class: 'spot',
        quote_currency: 'USDT',
        direction: 'bullish',
        horizon_kind: 'holding_seconds',
        horizon_value: 14_400,
        data_cutoff: '2024-01-10T07:15:00.000Z',
        key_factors: ['dip'],
        perspective_type: 'technical',
        price_targets: { stop_loss: { price: 41_400, kind: 'hard' } },
        model: { id: 'Dip' },
      },
    ]);
  });

  test('reads perpetuals and shorts, and refuses what it does not know', async () => {
    const read = await readText(
      result([
        trade({ pair: 'ETH/USDT:USDT', is_short: true, initial_stop_loss_abs: 50_000 }),
        trade({ pair: 'BTC/USD:BTC' }),
        trade({ pair: 'BTC/USDT:USDT-240329' }),
        trade({ pair: 'XRP/USDT', open_timestamp: null, open_date: null }),
      ]),
      options,
    );
    expect(read.rows.map(({ row }) => [row.symbol, row.asset_class, row.direction])).toEqual([
      ['ETH', 'perp', 'bearish'],
    ]);
    expect(refusals(read)).toEqual([
      'trades[1] of Dip: BTC/USD:BTC is neither a spot pair nor a perpetual that is settled in its quote.',
      'trades[2] of Dip: BTC/USDT:USDT-240329 is neither a spot pair nor a perpetual that is settled in its quote.',
      expect.stringContaining('trades[3] of Dip: It has no pair, no open_date'),
    ]);
  });

  test('of 2021 has buy_tag, times as fractions, and neither is_short nor leverage', async () => {
    const { is_short, leverage, enter_tag, ...old } = trade({ open_timestamp: 1704870900000.0, buy_tag: 'cross' });
    const { rows } = await readText(result([old]), options);
    expect(rows[0]?.row).toMatchObject({ direction: 'bullish', key_factors: ['cross'] });
  });

  test('in a zip says its exchange in the configuration; pickles in it are not opened', async () => {
    const bytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));
    const zip = zipSync({
      'backtest-result-2026-01-02_03-04-05.json': bytes(result([trade({})])),
      'backtest-result-2026-01-02_03-04-05_config.json': bytes({ exchange: { name: 'kraken' } }),
      'backtest-result-2026-01-02_03-04-05_Dip.json': bytes({ params: {} }),
      'backtest-result-2026-01-02_03-04-05_Dip.py': new TextEncoder().encode('raise SystemExit'),
      'backtest-result-2026-01-02_03-04-05_signals.pkl': Uint8Array.of(0x80, 4, 0x95),
    });
    const { rows } = await readImport('result.zip', zip, { horizon: '1d' }, NOW);
    expect(rows.map(({ instrument }) => instrument)).toEqual(['crypto:BTC:KRAKEN:spot:USDT']);
  });

  test('with several strategies asks for one, and without an exchange for a venue', async () => {
    const two = { strategy: { A: { trades: [] }, B: { trades: [] } }, strategy_comparison: [] };
    await expect(readText(two, options)).rejects.toThrow('The file has 2 of strategy: A, B.');
    await expect(readText(result([trade({})]), { horizon: '4h' })).rejects.toThrow('Add --venue');
  });

  test('with NaN as Python writes it is read', async () => {
    const text = JSON.stringify(result([trade({ enter_tag: 'NaN' })])).replace('30', 'NaN');
    expect((await readText(text, options)).rows[0]?.row.key_factors).toEqual(['NaN']);
  });
});

describe('LEAN', () => {
  const insight = (more: object) => ({
    id: 'e02be50f56a8496b9ba995d19a904ada',
    sourceModel: 'Momentum',
    generatedTime: 1704898800.5,
    closeTime: 1704985200.5,
    symbol: 'BTCUSDT 18N',
    ticker: 'BTCUSDT',
    type: 'price',
    direction: 'down',
    period: 86_400,
    magnitude: '0.02',
    confidence: '0.7',
    tag: null,
    ...more,
  });
  const stock = { symbol: 'SPY R735QTJ8XC9X', ticker: 'SPY' };

  test('states its own horizon, to the closeTime; other horizons are refused', async () => {
    const read = await readText([insight(stock)], { venue: 'ARCA' });
    expect(read.about.horizon_rule).toBe('stated by each decision of the file');
    expect(read.rows[0]?.row).toMatchObject({
      symbol: 'SPY',
      venue: 'ARCA',
      direction: 'bearish',
      horizon_kind: 'holding_seconds',
      horizon_value: 86_400,
      data_cutoff: '2024-01-10T15:00:00.500Z',
      confidence: 0.7,
      model: { id: 'Momentum' },
    });
    await expect(readText([insight(stock)], { venue: 'ARCA', horizon: '5d' })).rejects.toThrow('leave --horizon out');
    await expect(readText([insight(stock)])).rejects.toThrow('Add --venue');
  });

  test('leaves out volatility, and reads the names with hyphens of before May 2024', async () => {
    const old = Object.fromEntries(
      Object.entries(insight(stock)).map(([name, value]) => [
        name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`),
        value,
      ]),
    );
    const read = await readText([old, insight({ ...stock, type: 'volatility', sourceModel: 'Other' })], {
      venue: 'ARCA',
    });
    expect([calls(read), [...read.leftOut]]).toEqual([
      ['SPY bearish 2024-01-10T15:00:00.500Z'],
      [['insights about volatility', 1]],
    ]);
  });

  test('takes exchange and kind of a crypto pair from its identifier', async () => {
    const { rows } = await readText([insight({}), insight({ symbol: 'BTCUSD XJ', ticker: 'BTCUSD', direction: 'up' })]);
    expect(rows.map(({ instrument }) => instrument)).toEqual([
      'crypto:BTC:BINANCE:spot:USDT',
      'crypto:BTC:COINBASE:spot:USD',
    ]);
  });

  test('of a result with orders alone says what to import', async () => {
    await expect(readText({ totalPerformance: {}, orders: {} })).rejects.toThrow('alpha-results.json');
  });
});

describe('TradingAgents', () => {
  const options = { venue: 'NASDAQ', horizon: '5d' };

  test('is read as its memory log writes it, without what came after the outcome', async () => {
    const read = await readFixture('tradingagents-0.3.0.md', options);
    const [nvda] = read.rows;
    expect(nvda?.row).toMatchObject({
      symbol: 'NVDA',
      direction: 'bullish',
      horizon_kind: 'trading_days',
      horizon_value: 5,
      data_cutoff: '2026-01-13T05:00:00.000Z',
      key_factors: ['Rated Buy'],
      price_targets: { targets: [{ price: 210.5 }] },
      summary: 'Data centres grow.',
    });
    expect(JSON.stringify(read.rows)).not.toMatch(/thesis held|3\.4|3-6 months/);
    // The log rated this one Sell by the letters "rating" in Operating.
    expect(refusals(read)).toEqual([
      'line 28: BTC is of the market crypto and NASDAQ is not: import the file again with another --venue.',
      'line 38: TradingAgents took its rating Sell from "Operating leverage - sell-side estimates rise, and demand is strong.".',
      expect.stringContaining('line 47: symbol is not supported'),
    ]);
    expect([...read.leftOut]).toEqual([['entries without a rating, which TradingAgents logs as Hold', 1]]);
  });

  test('takes the venue of a suffix, and asks for that of a coin', async () => {
    const entry = (ticker: string) =>
      `[2026-01-13 | ${ticker} | Sell | pending]\n\nDECISION:\n**Rating**: Sell\n\n<!-- ENTRY_END -->\n\n`;
    const log = ['0700.HK', '600519.SS', 'SAP.DE'].map(entry).join('');
    await expect(readText(log, options)).rejects.toThrow('Add --quote, such as HKD');
    const read = await readText(log, { ...options, quote: 'HKD', zone: 'UTC' });
    expect(read.rows.map(({ instrument }) => instrument)).toEqual([
      'stock:0700.HK:HKEX:spot:HKD',
      'stock:600519:SSE:spot:CNY',
      'stock:SAP.DE:XETRA:spot:EUR',
    ]);
    // The date is one of the venue's clock.
    expect(read.rows[0]?.row.data_cutoff).toBe('2026-01-13T16:00:00.000Z');
    await expect(readText(entry('BTC-USD'), { horizon: '5d' })).rejects.toThrow('Add --venue');
    await expect(readText(entry('BTC-USD'), { horizon: '5d', venue: 'COINBASE' })).rejects.toThrow('Add --zone');
    const coin = await readText(entry('BTC-USD'), { horizon: '5d', venue: 'COINBASE', zone: 'UTC' });
    expect(calls(coin)).toEqual(['BTC bearish 2026-01-14T00:00:00.000Z']);
  });
});

describe('ai-hedge-fund', () => {
  test('2: a signal of 0 is neutral where its model says that it did not abstain', async () => {
    const options = { horizon: '20d', venue: 'NASDAQ' };
    await expect(readFixture('ai-hedge-fund-2.jsonl', options)).rejects.toThrow('2 of model: buffett, pead');
    const read = await readFixture('ai-hedge-fund-2.jsonl', { ...options, strategy: 'buffett' });
    expect(read.rows.map(({ row }) => [row.symbol, row.direction, row.confidence, row.summary])).toEqual([
      ['AAPL', 'bullish', 0.8, 'Wide moat'],
      ['MSFT', 'neutral', undefined, 'Fairly priced'],
    ]);
    expect([...read.leftOut]).toEqual([['signals without a view', 1]]);
  });

  test('1: asks for the date, and takes buy and short alone', async () => {
    const result = {
      decisions: {
        AAPL: { action: 'buy', quantity: 3, confidence: 72, reasoning: 'Cheap' },
        MSFT: { action: 'short', quantity: 1, confidence: 60, reasoning: '' },
        NVDA: { action: 'sell', quantity: 1, confidence: 60, reasoning: '' },
        AMZN: { action: 'hold', quantity: 0, confidence: 10, reasoning: '' },
      },
      analyst_signals: {},
    };
    await expect(readText(result, { horizon: '5d', venue: 'NASDAQ' })).rejects.toThrow('add --date');
    const read = await readText(result, { horizon: '5d', venue: 'NASDAQ', date: '2025-03-03' });
    expect(read.rows.map(({ row }) => [row.symbol, row.direction, row.confidence, row.data_cutoff])).toEqual([
      ['AAPL', 'bullish', 0.72, '2025-03-04T05:00:00.000Z'],
      ['MSFT', 'bearish', 0.6, '2025-03-04T05:00:00.000Z'],
    ]);
    expect([...read.leftOut].map(([why]) => why)).toEqual([
      'sell and cover, which close a position',
      'hold, which keeps a position',
    ]);
  });
});

describe('backtesting.py', () => {
  const options = { symbol: 'MSFT', venue: 'NASDAQ', horizon: '5d' };

  test.each(['backtesting-0.3.3.csv', 'backtesting-0.6.6.csv'])(
    '%s: parts of one entry are one row, at the start of its day',
    async (name) => {
      const read = await readFixture(name, options);
      expect(calls(read)).toEqual(['MSFT bullish 2024-01-09T05:00:00.000Z', 'MSFT bearish 2024-02-06T05:00:00.000Z']);
      expect([...read.leftOut]).toEqual([['further parts of an entry that is there', 1]]);
      expect(read.rows[0]?.row.key_factors).toEqual(name.includes('0.6.6') ? ['dip, "deep"'] : undefined);
      // SL is the stop as it stood when the trade ended.
      expect(JSON.stringify(read.rows)).not.toContain('price_targets');
    },
  );

  test('reads offsets, asks for the zone of other times and for the instrument', async () => {
    const zoned = await readFixture('backtesting-0.6.6-zoned.csv', options);
    expect(calls(zoned)[0]).toBe('MSFT bullish 2024-01-02T15:45:00.000Z');
    const local = 'Size,EntryBar,ExitBar,EntryPrice,EntryTime,ReturnPct\n1,5,6,100,2024-01-02 10:45:00,0.1\n';
    await expect(readText(local, options)).rejects.toThrow('Add --zone');
    expect(calls(await readText(local, { ...options, zone: 'America/New_York' }))).toEqual([
      'MSFT bullish 2024-01-02T15:45:00.000Z',
    ]);
    await expect(readText(local, { horizon: '5d' })).rejects.toThrow('add --symbol');
  });

  test('refuses numbers of bars as times', async () => {
    const read = await readText('Size,EntryBar,ExitBar,EntryPrice,EntryTime,ReturnPct\n1,5,6,100,5,0.1\n', options);
    expect(refusals(read)).toEqual([expect.stringContaining('line 2: EntryTime is the number of a bar')]);
  });
});

describe('vectorbt', () => {
  const options = { symbol: 'BTC', venue: 'BINANCE', quote: 'USDT', 'asset-class': 'spot', horizon: '3d' };

  test.each(['trades', 'entry-trades', 'positions'])(
    '%s: one row a position, at the end of the bar that it names',
    async (kind) => {
      const read = await readFixture(`vectorbt-1.1.0-${kind}.csv`, { ...options, bar: '1d' });
      expect(calls(read)).toEqual([
        'BTC bullish 2024-01-04T00:00:00.000Z',
        'BTC bearish 2024-01-14T00:00:00.000Z',
        'BTC bullish 2024-01-22T00:00:00.000Z',
      ]);
      expect(read.about.horizon_rule).toContain('decided at the end of bars of 1d');
    },
  );

  test('asks for the length of the bars and the symbol, and refuses orders', async () => {
    await expect(readFixture('vectorbt-1.1.0-trades.csv', options)).rejects.toThrow('Add --bar');
    const { symbol, ...others } = options;
    await expect(readFixture('vectorbt-1.1.0-trades.csv', { ...others, bar: '1d' })).rejects.toThrow('add --symbol');
    await expect(readFixture('vectorbt-1.1.0-orders.csv', options)).rejects.toThrow('positions.records_readable');
  });
});

describe('nautilus_trader', () => {
  const HEADER = 'position_id,strategy_id,instrument_id,entry,side,ts_opened,ts_closed,realized_pnl,is_snapshot';
  const rows = [
    'P-1,EMA-000,ETHUSDT-PERP.BINANCE,SELL,FLAT,2024-01-10 07:15:00+00:00,2024-01-10 08:00:00+00:00,-1.23 USDT,False',
    'P-2,EMA-000,AAPL.XNAS,BUY,FLAT,2024-01-10 15:15:00.123456789+00:00,2024-01-10 16:00:00+00:00,4.00 USD,False',
    'P-3,EMA-000,EUR/USD.SIM,BUY,FLAT,2024-01-10 15:15:00+00:00,2024-01-10 16:00:00+00:00,4.00 USD,False',
  ];

  test('is read by entry, and its venues by their codes', async () => {
    const read = await readText([HEADER, ...rows].join('\n'), { horizon: '1d' });
    expect([read.rows.map(({ instrument }) => instrument), calls(read)]).toEqual([
      ['crypto:ETH:BINANCE:perp:USDT', 'stock:AAPL:NASDAQ:spot:USD'],
      ['ETH bearish 2024-01-10T07:15:00.000Z', 'AAPL bullish 2024-01-10T15:15:00.123Z'],
    ]);
    expect(refusals(read)).toEqual([expect.stringContaining('line 4: The venue SIM is not known here')]);
  });
});

describe('jesse', () => {
  const trade = {
    id: 'a',
    strategy_name: 'Trend',
    symbol: 'BTC-USDT',
    exchange: 'Binance Perpetual Futures',
    type: 'short',
    holding_period: 60,
    opened_at: 1704870900000,
  };

  test('is read from JSON and from CSV to the same rows', async () => {
    const json = await readText({ trades: [trade], considering_timeframes: ['1h'] }, { horizon: '8h' });
    const csv = [Object.keys(trade), Object.values({ ...trade, id: 'b' })]
      .map((cells) => cells.map((cell) => `"${cell}"`).join(','))
      .join('\r\n');
    expect(json.rows.map(({ instrument }) => instrument)).toEqual(['crypto:BTC:BINANCE:perp:USDT']);
    expect((await readText(csv, { horizon: '8h' })).rows.map(({ row }) => row)).toEqual(
      json.rows.map(({ row }) => row),
    );
  });

  test('asks for the venue of other exchanges', async () => {
    const read = await readText({ trades: [{ ...trade, exchange: 'Bitfinex Spot' }] }, { horizon: '8h' });
    expect(refusals(read)).toEqual([
      'trades[0]: The exchange Bitfinex Spot is not known here: give --venue for all rows, with whose prices they are graded.',
    ]);
  });
});

describe('hummingbot', () => {
  const HEADER =
    'exchange_trade_id,config_file_path,strategy,market,symbol,base_asset,quote_asset,timestamp,order_id,trade_type,order_type,price,amount,leverage,trade_fee,trade_fee_in_quote,position,age';
  const fill = (minute: number, side: string, amount: number, market = 'binance_paper_trade', position = 'NIL') =>
    `x${minute},conf.yml,pmm,${market},BTC-USDT,BTC,USDT,${1704870900000 + minute * 60_000},o,${side},LIMIT,42000.5,${amount},1,"{'fee_type': 'AddedToCost', 'percent': '0.001'}",0.42,${position},00:00:05`;
  const read = (...fills: readonly string[]) => readText([HEADER, ...fills].join('\n'), { horizon: '4h' });

  test('on a spot market only a buy from flat is a decision; dust of fees counts as flat', async () => {
    const imported = await read(
      fill(0, 'SELL', 1),
      fill(1, 'BUY', 1),
      fill(2, 'BUY', 1),
      fill(3, 'SELL', 1.998),
      fill(5, 'BUY', 2),
      fill(4, 'SELL', 0.001),
    );
    expect(calls(imported)).toEqual(['BTC bullish 2024-01-10T07:16:00.000Z', 'BTC bullish 2024-01-10T07:20:00.000Z']);
    expect([...imported.leftOut]).toEqual([
      ['fills that close a position', 3],
      ['fills that add to a position', 1],
    ]);
  });

  test('on a perpetual market a sell opens or turns a position, and CLOSE never does', async () => {
    const perp = (minute: number, side: string, amount: number, action: string) =>
      fill(minute, side, amount, 'binance_perpetual', action);
    const imported = await read(
      perp(0, 'SELL', 1, 'OPEN'),
      perp(1, 'BUY', 3, 'CLOSE'),
      perp(2, 'BUY', 1, 'OPEN'),
      perp(3, 'SELL', 2, 'NIL'),
    );
    expect(imported.rows.map(({ row }) => [row.asset_class, row.direction])).toEqual([
      ['perp', 'bearish'],
      ['perp', 'bullish'],
      ['perp', 'bearish'],
    ]);
  });

  test('of its export without zones says what to import', async () => {
    const header = 'Id,Timestamp,Exchange,Market,Order_type,Side,Price,Amount,Leverage,Position,Age\n';
    await expect(readText(header, { horizon: '4h' })).rejects.toThrow('trades_<config>.csv');
  });
});

describe('TradingView', () => {
  const options = { symbol: 'MSFT', venue: 'NASDAQ', horizon: '5d', zone: 'America/New_York' };

  test.each([
    [
      'of 2025',
      'Trade number,Type,Date and time,Signal,Price USD,Size (qty)\n1,Exit long,2024-01-12 10:00,Open,380,1\n1,Entry long,2024-01-10 10:00,Cross,370,1\n',
    ],
    [
      'before',
      'Trade #,Type,Signal,Date/Time,Price,Contracts\n1,Entry long,Cross,2024-01-10 10:00,370,1\n1,Exit long,Open,2024-01-12 10:00,380,1\n',
    ],
  ])('%s: the entry of each trade is read', async (_, text) => {
    const read = await readText(text, options);
    expect([calls(read), read.rows[0]?.row.key_factors, [...read.leftOut]]).toEqual([
      ['MSFT bullish 2024-01-10T15:00:00.000Z'],
      ['Cross'],
      [['exits', 1]],
    ]);
  });
});

describe('CSV', () => {
  const text =
    'When;Ticker;Side;Sure\n2024-01-10 10:00;MSFT;long;0,6\n2024-01-11 10:00;MSFT;sell;0.5\n2024-01-12 10:00;AAPL;-1;0.5\n';
  const map = ['data_cutoff=When', 'symbol=Ticker', 'direction=Side', 'confidence=Sure'];
  const options: Options = { map, venue: 'NASDAQ', horizon: '5d', zone: 'America/New_York' };

  test('is read by a mapping, with the line of each refusal', async () => {
    const read = await readText(text, options, 'my.csv');
    expect(calls(read)).toEqual(['AAPL bearish 2024-01-12T15:00:00.000Z']);
    expect(refusals(read)).toEqual([
      'line 2: Its confidence is no number from 0 to 1.',
      expect.stringContaining('line 3: The direction is none of bullish'),
    ]);
  });

  test('with the names of the members needs no mapping; its own ids and horizons count', async () => {
    const own =
      'external_id,symbol,direction,data_cutoff,horizon,venue\nmine-1,MSFT,bullish,2024-01-10T15:00:00Z,2d,NASDAQ\n';
    const { rows, about } = await readText(own);
    expect([rows[0]?.row.external_id, rows[0]?.row.horizon_value, about.horizon_rule]).toEqual([
      'mine-1',
      2,
      'stated by each decision of the file',
    ]);
  });

  test('with an id twice is refused where the rows differ, and counted where they are one', async () => {
    const row = (id: string, direction: string) => `${id},MSFT,${direction},2024-01-10T15:00:00Z\n`;
    const own = `external_id,symbol,direction,data_cutoff\n${row('a', 'bullish')}${row('a', 'bullish')}${row('a', 'bearish')}`;
    const read = await readText(own, { venue: 'NASDAQ', horizon: '5d' });
    expect([read.rows.length, [...read.leftOut.values()]]).toEqual([1, [1]]);
    expect(refusals(read)).toEqual(['line 4: Its external_id is that of line 2, which says something else.']);
  });

  test('without a mapping names the columns that there are; a mapping must name members and columns', async () => {
    await expect(readText(text, { horizon: '5d' }, 'my.csv')).rejects.toThrow(
      'Name its columns by --map, such as --map data_cutoff=Time; it has When, Ticker, Side, Sure.',
    );
    await expect(readText(text, { ...options, map: ['price=When'] })).rejects.toThrow('names no member of a row');
    await expect(readText(text, { ...options, map: ['symbol=Name'] })).rejects.toThrow('The file has no column Name');
    await expect(readText(text, { ...options, map: map.slice(1) })).rejects.toThrow('Name the columns of data_cutoff');
  });
});

describe('a word that is a member of every object', () => {
  test.each([
    ['symbol,direction,data_cutoff\nMSFT,constructor,2024-01-10\n', { venue: 'NASDAQ' }],
    [
      'Column,Entry Timestamp,Avg Entry Price,Direction,Status\nMSFT,2024-01-10,1,constructor,Open\n',
      { venue: 'NASDAQ', bar: '1d' },
    ],
    ['instrument_id,strategy_id,entry,ts_opened,realized_pnl\nAAPL.XNAS,s,valueOf,2024-01-10T15:00:00Z,1 USD\n', {}],
    ['instrument_id,strategy_id,entry,ts_opened,realized_pnl\nAAPL.constructor,s,BUY,2024-01-10T15:00:00Z,1 USD\n', {}],
    ['[2024-01-10 | MSFT | constructor | pending]\n\nDECISION:\nBuy\n\n<!-- ENTRY_END -->\n', { venue: 'NASDAQ' }],
    [
      JSON.stringify([
        {
          direction: 'toString',
          symbol: 'SPY R735QTJ8XC9X',
          ticker: 'SPY',
          type: 'price',
          generatedTime: 1704898800,
          closeTime: 1704985200,
        },
      ]),
      { venue: 'ARCA', horizon: undefined },
    ],
  ])('is no direction, side, venue or rating: %j', async (text, options) => {
    const read = await readText(text, { horizon: '5d', ...options });
    expect([read.rows, read.refused.length]).toEqual([[], 1]);
  });
});

test('JSON that is cut off is no table', async () => {
  await expect(readText('{"strategy": {"a": 1, "b"', { horizon: '5d' }, 'cut.json')).rejects.toThrow(
    'cut.json begins as JSON and is none',
  );
  await expect(readText('prose alone', { horizon: '5d' }, 'a.txt')).rejects.toThrow(
    'a.txt is no file that is known here',
  );
});
