import { currentRegime } from '../../../application/market/current-regime.ts';
import { BAR_SIZES, type BarSize } from '../../../domain/market/bars.ts';
import { type Instrument, instrumentKey } from '../../../domain/market/instrument.ts';
import type { Listing, MarketData } from '../../../domain/market/market-data.ts';
import { type Millis, rfc3339 } from '../../../domain/time.ts';
import { argumentsIn, instrumentIn, oneOf, timeIn } from '../arguments.ts';
import { type Command, type CommandContext, type ExitCode, UsageError } from '../command.ts';
import { barLines, barReport, listingText } from './bars-report.ts';
import { showFault, showListed } from './listed-prices.ts';

const OPTIONS = {
  size: { type: 'string', default: '1d' },
  from: { type: 'string' },
  to: { type: 'string' },
  all: { type: 'boolean', default: false },
} as const;

/** Shows the prices that evaluations use, from the source that serves the instrument. */
export const barsCommand: Command = {
  usage: `IDENTITY [--size ${BAR_SIZES.join('|')}] [--from TIME] [--to TIME] [--all]`,
  summary: 'show the bars of an instrument as evaluations use them: the newest as a table, all of them as a chart',
  json:
    '{ instrument, fault: null, or why there are no bars, source, sizes, cadence, history_from, delisted_at, ' +
    'regime, dropped, bars: [{ start, end, open, high, low, close, volume, split, total }], oldest first }',
  read(args) {
    const { positionals, values } = argumentsIn(args, OPTIONS);
    const [text, ...others] = positionals;
    if (text === undefined || others.length > 0) throw new UsageError('Name one instrument.');
    const request: BarRequest = {
      instrument: instrumentIn(text),
      size: oneOf(BAR_SIZES, values.size, '--size'),
      from: values.from === undefined ? null : timeIn(values.from, '--from'),
      to: values.to === undefined ? null : timeIn(values.to, '--to'),
      all: values.all,
    };
    if (request.from !== null && request.to !== null && request.from >= request.to)
      throw new UsageError('--from is not before --to.');
    return (context) =>
      showListed(context, request.instrument, (marketData, listing) => showBars(context, marketData, listing, request));
  },
};

interface BarRequest {
  readonly instrument: Instrument;
  readonly size: BarSize;
  readonly from: Millis | null;
  readonly to: Millis | null;
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
  if (from !== null) return { from, to: to ?? now };
  const { bars } = await marketData.bars(instrument, '1d', history_from, to ?? now, now);
  const newest = size === '1d' ? (bars.at(-DAYS) ?? bars.at(0)) : bars.at(-1);
  return { from: newest?.start ?? history_from, to: to ?? now };
}

const DAYS = 72;
