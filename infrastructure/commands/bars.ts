import { currentRegime } from '../../application/market/current-regime.ts';
import type { Regime } from '../../domain/grading/regime.ts';
import { BAR_SIZES, type Bar, type BarSize } from '../../domain/market/bars.ts';
import { type Instrument, instrumentKey } from '../../domain/market/instrument.ts';
import { type Listing, type MarketData, SourceUnavailable } from '../../domain/market/market-data.ts';
import { DAY, type Millis, rfc3339 } from '../../domain/time.ts';
import { openMarketData } from '../compose/market-sources.ts';
import { createLogger } from '../logging/logger.ts';
import { argumentsIn, instrumentIn, oneOf } from './arguments.ts';
import { type Command, type CommandContext, type ExitCode, UsageError } from './command.ts';
import { priceChart, priceText } from './price-chart.ts';
import { table } from './text-table.ts';

const OPTIONS = {
  size: { type: 'string', default: '1d' },
  from: { type: 'string' },
  to: { type: 'string' },
  all: { type: 'boolean', default: false },
} as const;

/** Shows prices as evaluations see them, from whichever source serves the instrument. */
export const barsCommand: Command = {
  usage: `IDENTITY [--size ${BAR_SIZES.join('|')}] [--from TIME] [--to TIME] [--all]`,
  summary: 'show the bars of an instrument as evaluations see them: the newest as a table, all of them as a chart',
  read(args) {
    const { positionals, values } = argumentsIn(args, OPTIONS);
    const [text, ...others] = positionals;
    if (text === undefined || others.length > 0) throw new UsageError('Name one instrument.');
    const asked: Asked = {
      instrument: instrumentIn(text),
      size: oneOf(BAR_SIZES, values.size, '--size'),
      from: values.from === undefined ? null : timeIn(values.from, '--from'),
      to: values.to === undefined ? null : timeIn(values.to, '--to'),
      all: values.all,
    };
    if (asked.from !== null && asked.to !== null && asked.from >= asked.to)
      throw new UsageError('--from is not before --to.');
    return (context) => showBars(context, asked);
  },
};

interface Asked {
  readonly instrument: Instrument;
  readonly size: BarSize;
  readonly from: Millis | null;
  readonly to: Millis | null;
  readonly all: boolean;
}

async function showBars({ storage, config, print }: CommandContext, asked: Asked): Promise<ExitCode> {
  const { marketData } = openMarketData(config.marketData, createLogger({ level: 'silent', format: 'json' }));
  const name = instrumentKey(asked.instrument);
  try {
    const listing = await marketData.describe(asked.instrument);
    if (!listing) print(`No source knows ${name}.`);
    return listing ? await showListed(marketData, listing, asked, (await storage.clock.now()).getTime(), print) : 1;
  } catch (error) {
    if (!(error instanceof SourceUnavailable)) throw error;
    print(`${name} cannot be read: ${error.message}`);
    return 1;
  }
}

async function showListed(
  marketData: MarketData,
  listing: Listing,
  asked: Asked,
  now: Millis,
  print: (line: string) => void,
): Promise<ExitCode> {
  print(headline(asked.instrument, listing));
  if (!listing.sizes.includes(asked.size)) {
    print(`There are no ${asked.size} bars of it.`);
    return 1;
  }
  const { from, to } = await spanOf(marketData, listing, asked, now);
  const { bars, dropped } = await marketData.bars(asked.instrument, asked.size, from, to, now);
  const shown = asked.all ? bars : bars.slice(-LINES);
  const last = bars.at(-1);
  if (last) print(regimeText(await currentRegime({ marketData }, asked.instrument, new Date(last.end)), last.end));
  if (bars.length === 0) print(`No ${asked.size} bars within ${rfc3339(from)} and ${rfc3339(to)}.`);
  else print(table(HEADERS, shown.map(cellsOf)));
  if (shown.length < bars.length) print(`... and ${bars.length - shown.length} before them (--all shows every one)`);
  if (dropped > 0) print(`${dropped} rows of the source cannot be prices and count as missing`);
  const chart = priceChart(bars);
  if (chart) print(`\n${chart}`);
  return bars.length > 0 ? 0 : 1;
}

const LINES = 20;
const HEADERS = ['start', 'end', 'open', 'high', 'low', 'close', 'volume', 'split', 'total'];

function headline(instrument: Instrument, { source, sizes, cadence, history_from, delisted_at }: Listing): string {
  const until = delisted_at === null ? '' : `, delisted ${rfc3339(delisted_at)}`;
  const since = `since ${rfc3339(history_from).slice(0, 10)}`;
  return `${instrumentKey(instrument)} from ${source}: ${sizes.join(', ')}; ${cadence}, ${since}${until}`;
}

function regimeText(regime: Regime | null, at: Millis): string {
  if (!regime) return `Its regime at ${minute(at)} is not known: it takes 80 daily closes before it.`;
  return `Its regime at ${minute(at)} is ${regime.label}: volatility ${regime.vol.toFixed(2)}, trend ${regime.trend.toFixed(2)}, of 0 to 1`;
}

function cellsOf({ start, end, open, high, low, close, volume, split, total }: Bar): readonly string[] {
  const prices = [open, high, low, close].map(priceText);
  const factors = [split, total].map((factor) => String(Number(factor.toPrecision(6))));
  return [minute(start), minute(end), ...prices, volume === null ? '' : String(volume), ...factors];
}

/** Such as `2003-02-13 14:30Z`. */
function minute(at: Millis): string {
  return `${rfc3339(at).slice(0, 16).replace('T', ' ')}Z`;
}

/** Without times the newest bars: a few months of days, or the last trading day. */
async function spanOf(
  marketData: MarketData,
  { history_from }: Listing,
  { instrument, size, from, to }: Asked,
  now: Millis,
): Promise<{ readonly from: Millis; readonly to: Millis }> {
  if (from !== null) return { from, to: to ?? now };
  const { bars } = await marketData.bars(instrument, '1d', history_from, to ?? now, now);
  const newest = size === '1d' ? (bars.at(-DAYS) ?? bars.at(0)) : bars.at(-1);
  return { from: newest?.start ?? history_from, to: to ?? now };
}

const DAYS = 72;

/** A UTC date, or an RFC 3339 time. */
function timeIn(text: string, option: string): Millis {
  const isDate = /^\d{4}-\d\d-\d\d$/.test(text);
  const isTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)$/.test(text);
  const at = isDate || isTime ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(at)) throw new UsageError(`${option} ${text} is no time: send 2026-01-30 or 2026-01-30T14:30:00Z.`);
  return option === '--to' && isDate ? at + DAY : at;
}
