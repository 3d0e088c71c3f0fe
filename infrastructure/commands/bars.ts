import { knownActions } from '../../application/grading/further-evidence.ts';
import { currentRegime } from '../../application/market/current-listing.ts';
import { newestNames } from '../../application/market/names.ts';
import { securityOf } from '../../application/market/refresh-symbols.ts';
import { DIRECTIONS } from '../../domain/decisions/call.ts';
import { type BaseRates, baseRates } from '../../domain/grading/base-rates.ts';
import { RESULT_BUCKETS } from '../../domain/grading/outcome.ts';
import type { Regime } from '../../domain/grading/paths/regime.ts';
import { type Horizon, horizonFault, wantedSize } from '../../domain/grading/windows/window.ts';
import { BAR_SIZES, type Bar, type BarSize, sizesInOrder } from '../../domain/market/bars.ts';
import { type Instrument, instrumentKey } from '../../domain/market/instrument.ts';
import { type Listing, type MarketData, SourceUnavailable } from '../../domain/market/market-data.ts';
import { type Millis, rfc3339 } from '../../domain/time.ts';
import { type MarketSources, openMarketData } from '../compose/market-sources.ts';
import { createLogger } from '../logging/logger.ts';
import {
  type CommandContext,
  command,
  defaulted,
  type ExitCode,
  FLAG,
  IDENTITY,
  oneOf,
  option,
  required,
  spelledByNames,
  timeIn,
  UsageError,
} from './command.ts';
import { type Columns, priceChart, priceText, table, tableOf } from './text.ts';

/** The prices that evaluations use, from the source that serves the instrument, and what a decision without skill gets of them. */
export const BAR_COMMANDS = [
  command({
    name: 'bars',
    summary: 'show the bars of an instrument as evaluations use them: the newest as a table, all of them as a chart',
    json:
      '{ instrument, fault: null, or why there are no bars, source, sizes, cadence, history_from, delisted_at, ' +
      'regime, dropped, bars: [{ start, end, open, high, low, close, volume, split, total }], oldest first }',
    takes: {
      instrument: IDENTITY,
      size: defaulted(BAR_SIZES.join('|'), '1d', oneOf(BAR_SIZES)),
      ...{ from: option('TIME', timeIn), to: option('TIME', timeIn), all: FLAG },
    },
    check({ from, to }) {
      if (from !== undefined && to !== undefined && from >= to) throw new UsageError('--from is not before --to.');
    },
    run: (request, context) =>
      showListed(context, request, (read, { marketData }, listing) => showBars(context, marketData, listing, read)),
  }),
  command({
    name: 'base-rates',
    summary: 'show how often each bucket results for each direction, over all past windows of a horizon',
    json:
      '{ instrument, fault: null, or why there are no bars, source, bar_size, from, to, horizon_kind, horizon_value, ' +
      'method, starts, graded, ungraded: { reason: count }, counts: { direction: { bucket: count } } }',
    takes: {
      instrument: IDENTITY,
      horizon: required('trading_days:N|holding_seconds:N', horizonIn),
      from: option('TIME', timeIn),
    },
    run: (request, context) =>
      showListed(context, request, (read, sources, listing) => showRates(context, sources, listing, read)),
  }),
];

interface BarRequest {
  readonly instrument: Instrument;
  readonly size: BarSize;
  readonly from: Millis | undefined;
  readonly to: Millis | undefined;
  readonly all: boolean;
}

async function showBars(
  context: CommandContext,
  marketData: MarketData,
  listing: Listing,
  request: BarRequest,
): Promise<ExitCode> {
  const { instrument, size } = request;
  const name = instrumentKey(instrument);
  context.print(listingText(instrument, listing));
  if (!listing.sizes.includes(size)) return showFault(context, name, `There are no ${size} bars of it.`);
  const now = (await context.storage.clock.now()).getTime();
  const { from, to } = await spanOf(marketData, listing, request, now);
  const { bars, dropped } = await marketData.bars(instrument, size, from, to, now);
  const last = bars.at(-1);
  const regime = last ? await currentRegime({ marketData }, instrument, new Date(last.end)) : null;
  for (const line of barLines(bars, { regime, dropped, all: request.all })) context.print(line);
  if (!last) return showFault(context, name, `There are no ${size} bars from ${rfc3339(from)} to ${rfc3339(to)}.`);
  context.report(barReport(name, listing, { regime, dropped, bars }));
  return 0;
}

/** Without times the newest bars: a few months of days, or the last trading day. */
async function spanOf(
  marketData: MarketData,
  { history_from }: Listing,
  { instrument, size, from, to }: BarRequest,
  now: Millis,
): Promise<{ readonly from: Millis; readonly to: Millis }> {
  if (from !== undefined) return { from, to: to ?? now };
  const { bars } = await marketData.bars(instrument, '1d', history_from, to ?? now, now);
  const newest = size === '1d' ? (bars.at(-DAYS) ?? bars.at(0)) : bars.at(-1);
  return { from: newest?.start ?? history_from, to: to ?? now };
}

const DAYS = 72;

interface ShownBars {
  /** At the end of the last bar; null where too few daily bars precede it. */
  readonly regime: Regime | null;
  /** Rows of the source with impossible prices. */
  readonly dropped: number;
}

/** The bars as text: the regime, a table of the newest 20 (or of all), a chart of all. */
function barLines(
  bars: readonly Bar[],
  { regime, dropped, all }: ShownBars & { readonly all: boolean },
): readonly string[] {
  const shown = all ? bars : bars.slice(-LINES);
  const last = bars.at(-1);
  const chart = priceChart(bars);
  return [
    ...(last ? [regimeText(regime, last.end), tableOf(BAR_COLUMNS, shown)] : []),
    ...(shown.length < bars.length
      ? [`... and ${bars.length - shown.length} before them (--all shows every one)`]
      : []),
    ...(dropped > 0 ? [`${dropped} rows of the source have impossible prices and count as missing`] : []),
    ...(chart ? [`\n${chart}`] : []),
  ];
}

/** The members that `bars --json` prints. */
function barReport(
  instrument: string,
  { source, sizes, cadence, history_from, delisted_at }: Listing,
  { regime, dropped, bars }: ShownBars & { readonly bars: readonly Bar[] },
) {
  const period = {
    history_from: rfc3339(history_from),
    delisted_at: delisted_at === null ? null : rfc3339(delisted_at),
  };
  const rows = bars.map((bar) => ({ ...bar, start: rfc3339(bar.start), end: rfc3339(bar.end) }));
  return { instrument, fault: null, source, sizes, cadence, ...period, regime, dropped, bars: rows };
}

/** One line: which source serves the instrument, with which bars, since when. */
function listingText(instrument: Instrument, { source, sizes, cadence, history_from, delisted_at }: Listing): string {
  const until = delisted_at === null ? '' : `, delisted ${rfc3339(delisted_at)}`;
  const since = `since ${rfc3339(history_from).slice(0, 10)}`;
  return `${instrumentKey(instrument)} from ${source}: ${sizes.join(', ')}; ${cadence}, ${since}${until}`;
}

function regimeText(regime: Regime | null, at: Millis): string {
  if (!regime) return `Its regime at ${minute(at)} is unknown: it needs 80 daily closes before that time.`;
  return `Its regime at ${minute(at)} is ${regime.label}: volatility ${regime.vol.toFixed(2)}, trend ${regime.trend.toFixed(2)}, of 0 to 1`;
}

/** Such as `2003-02-13 14:30Z`. */
function minute(at: Millis): string {
  return `${rfc3339(at).slice(0, 16).replace('T', ' ')}Z`;
}

const LINES = 20;
const BAR_COLUMNS: Columns<Bar> = {
  start: ({ start }) => minute(start),
  end: ({ end }) => minute(end),
  open: ({ open }) => priceText(open),
  high: ({ high }) => priceText(high),
  low: ({ low }) => priceText(low),
  close: ({ close }) => priceText(close),
  volume: ({ volume }) => (volume === null ? '' : String(volume)),
  split: ({ split }) => priceText(split),
  total: ({ total }) => priceText(total),
};

interface RatesRequest {
  readonly instrument: Instrument;
  readonly horizon: Horizon;
  /** The oldest bar to use; undefined for all that there are. */
  readonly from: Millis | undefined;
}

function horizonIn(text: string | undefined): Horizon {
  const [, kind, digits] = /^(trading_days|holding_seconds):(\d+)$/.exec(text ?? '') ?? [];
  if (kind !== 'trading_days' && kind !== 'holding_seconds') {
    throw new UsageError('Send --horizon trading_days:5 or --horizon holding_seconds:3600.');
  }
  const horizon = { horizon_kind: kind, horizon_value: Number(digits) } as const;
  const fault = horizonFault(horizon);
  if (fault) throw new UsageError(fault.message);
  return horizon;
}

async function showRates(
  context: CommandContext,
  sources: MarketSources,
  { history_from, sizes, source }: Listing,
  { instrument, horizon, from }: RatesRequest,
): Promise<ExitCode> {
  const name = instrumentKey(instrument);
  const now = (await context.storage.clock.now()).getTime();
  const barsOf = (size: BarSize, since: Millis) => sources.marketData.bars(instrument, size, since, now, now);
  const [size] = sizesInOrder(wantedSize(horizon.horizon_kind, horizon.horizon_value), sizes);
  const daily = await barsOf('1d', history_from);
  const path = size === undefined || size === '1d' ? within(daily, from) : await barsOf(size, from ?? history_from);
  const [first, last] = [path.bars.at(0), path.bars.at(-1)];
  if (!first || !last) return showFault(context, name, `There are no ${path.size} bars of it.`);
  const known = await knownActions(sources, instrument, now);
  const rates = baseRates({ instrument, path, daily, ...(known && { known }) }, horizon, now);
  const period = { from: rfc3339(first.start), to: rfc3339(last.end) };
  context.print(`${name} from ${source}: ${path.size} bars from ${period.from} to ${period.to}`);
  for (const line of rateLines(rates)) context.print(line);
  context.report({ instrument: name, fault: null, source, bar_size: path.size, ...period, ...horizon, ...rates });
  return 0;
}

function within<T extends { readonly bars: readonly { readonly start: Millis }[] }>(
  series: T,
  from: Millis | undefined,
): T {
  return from === undefined ? series : { ...series, bars: series.bars.filter(({ start }) => start >= from) };
}

function rateLines({ method, starts, graded, ungraded, counts }: BaseRates): readonly string[] {
  const share = (count: number) => (graded === 0 ? '' : `${((100 * count) / graded).toFixed(1)} %`);
  const rows = DIRECTIONS.map((direction) => [
    direction,
    ...RESULT_BUCKETS.map((bucket) => share(counts[direction][bucket])),
  ]);
  const others = Object.entries(ungraded).map(([reason, count]) => `${count} ${reason}`);
  return [
    `${graded} of ${starts} windows are graded by ${method}${others.length > 0 ? `; not graded: ${others.join(', ')}` : ''}`,
    table(['direction', ...RESULT_BUCKETS], rows),
  ];
}

/**
 * Shows what is made of the prices of an instrument, read through the names, from the source that lists it. An instrument that no source knows,
 * or whose source cannot be read, is reported as a fault, with exit code 1.
 */
async function showListed<Request extends { readonly instrument: Instrument }>(
  context: CommandContext,
  asked: Request,
  show: (request: Request, sources: MarketSources, listing: Listing) => Promise<ExitCode>,
): Promise<ExitCode> {
  const { storage, config } = context;
  const book = await newestNames(storage.names);
  const instrument = securityOf(spelledByNames(asked.instrument, book), book, await storage.clock.now());
  const log = createLogger({ level: 'silent', format: 'json' });
  const sources = openMarketData(config.marketData, log, undefined, null, () => book);
  const { marketData } = sources;
  const name = instrumentKey(instrument);
  try {
    const listing = await marketData.describe(instrument);
    return listing
      ? await show({ ...asked, instrument }, sources, listing)
      : showFault(context, name, `No source knows ${name}.`);
  } catch (error) {
    if (!(error instanceof SourceUnavailable)) throw error;
    return showFault(context, name, `${name} cannot be read: ${error.message}`);
  }
}

/** Reports why there are no prices to show. */
function showFault({ print, report }: CommandContext, instrument: string, fault: string): ExitCode {
  print(fault);
  report({ instrument, fault });
  return 1;
}
