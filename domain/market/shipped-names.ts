import type { NameSource, NameStatement } from './name-statement.ts';

/** Who says it, and where. */
type Said = NameStatement['source'];

const by = (kind: NameSource, name: string, url: string): Said => ({ kind, name, url });

const META = by(
  'exchange',
  'Meta Platforms',
  'https://www.cnet.com/news/social-media/facebook-parent-meta-to-change-stock-ticker-symbol-to-meta-on-june-9/',
);
const ROUNDHILL = by('exchange', 'Roundhill Investments', 'https://www.etf.com/META');
const PROSHARES = by('exchange', 'ProShares', 'https://www.proshares.com/our-etfs/strategic/fb');
const GOOGLE = by(
  'exchange',
  'Google',
  'https://web.archive.org/web/20140329053728/http://investor.google.com/financial/class-c.html',
);
const FOX = by(
  'exchange',
  'S&P Dow Jones Indices',
  'https://www.finanznachrichten.de/nachrichten-2019-03/46212521-fox-corp-to-join-s-p-500-adobe-to-join-s-p-100-020.htm',
);
const FOX_OF_2013 = by(
  'exchange',
  'News Corporation',
  'https://www.newsmax.com/finance/investinganalysis/investors-benefits-split-news-corp/2013/07/01/id/512745/',
);
const POLYGON = by(
  'exchange',
  'Binance',
  'https://coingape.com/binance-announces-matic-to-pol-token-swap-support-is-breakout-imminent',
);
const TERRA_CLASSIC = by(
  'exchange',
  'Binance',
  'https://bitcoinnewsworld.com/index.php/2022/05/26/binance-will-support-the-terra-network-airdrop/',
);
const TERRA = by(
  'exchange',
  'Binance',
  'https://coincodex.com/article/15017/luna-jumps-50-on-binance-terra-20-listing',
);
const LUNA2 = by(
  'exchange',
  'Binance',
  'https://cryptovesti.ru/binance-futures-will-launch-usd%e2%93%88-m-luna2-perpetual-contracts-with-up-to-25x-leverage',
);
const TERRA_ELSEWHERE = by('vendor', 'KED Global', 'https://www.kedglobal.com/newsView/ked202205300021');
const KRAKEN_LUNA = by(
  'exchange',
  'Kraken',
  'https://support.kraken.com/hc/ru-ru/articles/6548163943956-LUNA-and-UST-updates-on-Kraken-',
);
const BINANCE_CONTRACTS = by('exchange', 'Binance', 'https://fapi.binance.com/fapi/v1/exchangeInfo');
const BINANCE_SPOT = by('exchange', 'Binance', 'https://api.binance.com/api/v3/exchangeInfo');
const BYBIT_CONTRACTS = by('exchange', 'Bybit', 'https://api.bybit.com/v5/market/instruments-info?category=linear');
const ASI = by(
  'exchange',
  'Artificial Superintelligence Alliance',
  'https://docs.superintelligence.io/artificial-superintelligence-alliance/navigating-the-asi-token-merger-a-comprehensive-guide',
);
const KRAKEN_XBT = by(
  'exchange',
  'Kraken',
  'https://support.kraken.com/hc/it-it/articles/360001206766-Bitcoin-currency-code-XBT-vs-BTC',
);
const KRAKEN_ASSETS = by('exchange', 'Kraken', 'https://api.kraken.com/0/public/Assets');
const HKEX = by(
  'exchange',
  'HKEX',
  'https://www.hkex.com.hk/Services/Trading/Securities/Overview/Trading-Mechanism/HKD-RMB-Dual-Counter-Model',
);
const INDIA = by('exchange', 'BSE and NSE', 'https://www.ril.com/investors/shareholders-information');

const stock = { market: 'stock' } as const;
const crypto = { market: 'crypto' } as const;

/** Tickers of the United States that changed hands. */
const TICKERS: readonly NameStatement[] = [
  { ...stock, name: 'FB', from: '2012-05-18', until: '2022-06-09', key: 'META', kind: 'listed', source: META },
  { ...stock, name: 'META', from: '2022-06-09', key: 'META', kind: 'renamed', source: META },
  { ...stock, name: 'META', from: '2021-06-30', until: '2022-01-31', key: 'METV', kind: 'listed', source: ROUNDHILL },
  { ...stock, name: 'METV', from: '2022-01-31', key: 'METV', kind: 'renamed', source: ROUNDHILL },
  { ...stock, name: 'FB', from: '2025-06-24', key: 'FB', kind: 'reused', source: PROSHARES },
  { ...stock, name: 'GOOG', from: '2004-08-19', until: '2014-04-03', key: 'GOOGL', kind: 'listed', source: GOOGLE },
  { ...stock, name: 'GOOGL', from: '2014-04-03', key: 'GOOGL', kind: 'renamed', source: GOOGLE },
  { ...stock, name: 'GOOG', from: '2014-04-03', key: 'GOOG', kind: 'reused', source: GOOGLE },
  {
    ...stock,
    name: 'FOXA',
    from: '2013-07-01',
    until: '2019-03-19',
    key: 'TFCFA',
    kind: 'renamed',
    source: FOX_OF_2013,
  },
  { ...stock, name: 'TFCFA', from: '2019-03-19', until: '2019-03-20', key: 'TFCFA', kind: 'renamed', source: FOX },
  { ...stock, name: 'FOXA', from: '2019-03-19', key: 'FOXA', kind: 'reused', source: FOX },
  { ...stock, name: 'FOX', from: '2013-07-01', until: '2019-03-19', key: 'TFCF', kind: 'renamed', source: FOX_OF_2013 },
  { ...stock, name: 'TFCF', from: '2019-03-19', until: '2019-03-20', key: 'TFCF', kind: 'renamed', source: FOX },
  { ...stock, name: 'FOX', from: '2019-03-19', key: 'FOX', kind: 'reused', source: FOX },
];

const binance = { ...crypto, venue: 'BINANCE' } as const;
const binanceSpot = { ...binance, asset_class: 'spot' } as const;
const perp = { ...crypto, asset_class: 'perp', quote: 'USDT' } as const;
const kraken = { ...crypto, venue: 'KRAKEN' } as const;

/**
 * Coins that were renamed or merged, venue by venue: each renamed them on a day of its own, and Kraken never renamed the
 * classic LUNA. A day without either name at a venue belongs to none of the two.
 */
const COINS: readonly NameStatement[] = [
  // Where no day of the change is stated, MATIC is another spelling: prices are asked by the name of today.
  { ...crypto, name: 'MATIC', from: '2019-04-26', key: 'POL', kind: 'code', source: POLYGON },
  { ...binance, name: 'MATIC', from: '2019-04-26', until: '2024-09-11', key: 'POL', kind: 'listed', source: POLYGON },
  { ...binance, name: 'POL', from: '2024-09-13', key: 'POL', kind: 'renamed', source: POLYGON },
  {
    ...{ ...binance, name: 'LUNA', from: '2019-05-01', until: '2022-05-27' },
    ...{ key: 'LUNC', kind: 'listed', source: TERRA_CLASSIC },
  },
  { ...binanceSpot, name: 'LUNC', from: '2022-05-30', key: 'LUNC', kind: 'renamed', source: TERRA_CLASSIC },
  { ...binanceSpot, name: 'LUNA', from: '2022-05-31', key: 'LUNA', kind: 'reused', source: TERRA },
  { ...perp, venue: 'BINANCE', name: 'LUNA2', from: '2022-09-10', key: 'LUNA', kind: 'counter', source: LUNA2 },
  { ...perp, venue: 'BYBIT', name: 'LUNA2', from: '2022-05-28', key: 'LUNA', kind: 'counter', source: BYBIT_CONTRACTS },
  // The first day of the new chain is a bound: under this name there is no earlier price of the new coin.
  ...['BYBIT', 'OKX'].map(
    (venue): NameStatement => ({
      ...{ ...crypto, asset_class: 'spot', venue, name: 'LUNA', from: '2022-05-28' },
      ...{ key: 'LUNA', kind: 'reused', source: TERRA_ELSEWHERE },
    }),
  ),
  { ...kraken, name: 'LUNA', from: '2019-05-01', key: 'LUNC', kind: 'listed', source: KRAKEN_LUNA },
  { ...kraken, name: 'LUNA2', from: '2022-05-28', key: 'LUNA', kind: 'counter', source: KRAKEN_LUNA },
  {
    ...crypto,
    name: 'AGIX',
    from: '2024-07-01',
    key: 'AGIX',
    kind: 'merged',
    ratio: 0.43335,
    successor: 'FET',
    source: ASI,
  },
  {
    ...crypto,
    name: 'OCEAN',
    from: '2024-07-01',
    key: 'OCEAN',
    kind: 'merged',
    ratio: 0.433226,
    successor: 'FET',
    source: ASI,
  },
];

/** Codes that some exchanges use for a coin: one coin has one name, at every venue. */
const CODES: readonly NameStatement[] = [
  { ...crypto, name: 'XBT', from: '2009-01-03', key: 'BTC', kind: 'code', source: KRAKEN_XBT },
  { ...crypto, name: 'XDG', from: '2013-12-06', key: 'DOGE', kind: 'code', source: KRAKEN_ASSETS },
];

/** The names of the coins that exchanges have codes for. */
export const COIN_CODES: Readonly<Record<string, string>> = Object.fromEntries(
  CODES.map(({ name, key }) => [name, key]),
);

const MULTIPLE = /^(10{3,6})([A-Z].*)$|^([A-Z]+)(1000)$/;

/** The days of listing that a source states; the contracts of a coin never begin before the coin has its name. */
const ONBOARD: Readonly<Record<string, string>> = {
  'BINANCE 1000LUNC': '2022-05-31',
  'BINANCE 1000FLOKI': '2023-05-06',
  'BINANCE 1000SATS': '2023-12-01',
  'BINANCE 1000CHEEMS': '2024-11-25',
  'BYBIT 1000LUNC': '2022-05-30',
};

/** Where no source states a day, a bound (docs/securities.md): a name such as 1000PEPE meant nothing else before. */
const FIRST_CONTRACTS = '2020-01-01';

/**
 * Names of many coins: prices and targets are in their units. No name is guessed: 1INCH is no multiple.
 * @param line where the names are used
 */
function multiples(
  line: Pick<NameStatement, 'asset_class' | 'quote'> & { readonly venue: string },
  source: Said,
  names: string,
): readonly NameStatement[] {
  return names.split(' ').map((name) => {
    const [, units, key, base, last] = MULTIPLE.exec(name) ?? [];
    const from = ONBOARD[`${line.venue} ${name}`] ?? FIRST_CONTRACTS;
    return {
      ...{ ...crypto, name, ...line, from },
      ...{ key: key ?? base ?? name, kind: 'counter', units: Number(units ?? last), source },
    };
  });
}

const CONTRACTS: readonly NameStatement[] = [
  ...multiples(
    { venue: 'BINANCE', asset_class: 'perp', quote: 'USDT' },
    BINANCE_CONTRACTS,
    '1000SHIB 1000XEC 1000LUNC 1000PEPE 1000FLOKI 1000BONK 1000SATS 1000RATS 1000CAT 1000CHEEMS 1000000MOG',
  ),
  ...multiples({ venue: 'BINANCE', asset_class: 'spot' }, BINANCE_SPOT, '1000SATS 1000CAT 1000CHEEMS'),
  ...multiples(
    { venue: 'BYBIT', asset_class: 'perp', quote: 'USDT' },
    BYBIT_CONTRACTS,
    'SHIB1000 10000COQ 10000ELON 10000LADYS 10000QUBIC 10000SATS 10000WEN 10000WHY 1000APU 1000BONK 1000BTT 1000CATS ' +
      '1000CAT 1000FLOKI 1000LUNC 1000MUMU 1000PEPE 1000RATS 1000TOSHI 1000TURBO 1000X 1000XEC 1000000MOG',
  ),
];

/** The 24 dual counters of 19 June 2023: the code of the counter in yuan has an 8 before that of the one in dollars. */
const COUNTERS: readonly NameStatement[] =
  '0011 0016 0020 0175 0291 0388 0700 0883 0941 0992 1024 1211 1299 1810 2020 2318 2331 2333 2388 3690 6618 9618 9888 9988'
    .split(' ')
    .map((code) => ({
      ...{ ...stock, name: `8${code}.HK`, venue: 'HKEX', quote: 'CNY', from: '2023-06-19' },
      ...{ key: `${code}.HK`, kind: 'counter', source: HKEX },
    }));

/** One share on two exchanges of one country, from the first day that BSE has sessions here. */
const SHARED: readonly NameStatement[] = [
  {
    ...stock,
    name: 'RELIANCE.BO',
    venue: 'BSE',
    from: '2010-01-01',
    key: 'RELIANCE.NS',
    kind: 'counter',
    source: INDIA,
  },
  { ...stock, name: '500325.BO', venue: 'BSE', from: '2010-01-01', key: 'RELIANCE.NS', kind: 'code', source: INDIA },
];

/** What public sources state about names, as this release knows it; docs/securities.md says how more is learned. */
export const SHIPPED_NAMES: readonly NameStatement[] = [
  ...[...TICKERS, ...COINS, ...CODES],
  ...[...CONTRACTS, ...COUNTERS, ...SHARED],
];
