import { DIRECTIONS } from '../../../domain/decisions/call.ts';
import { type BaseRates, baseRates } from '../../../domain/grading/base-rates.ts';
import { RESULT_BUCKETS } from '../../../domain/grading/outcome.ts';
import { type Horizon, horizonFault } from '../../../domain/grading/windows/horizon.ts';
import { wantedSize } from '../../../domain/grading/windows/wanted-size.ts';
import { sizesInOrder } from '../../../domain/market/bar-size.ts';
import type { BarSize } from '../../../domain/market/bars.ts';
import { type Instrument, instrumentKey } from '../../../domain/market/instrument.ts';
import type { Listing, MarketData } from '../../../domain/market/market-data.ts';
import { type Millis, rfc3339 } from '../../../domain/time.ts';
import { argumentsIn, instrumentIn, timeIn } from '../arguments.ts';
import { type Command, type CommandContext, type ExitCode, UsageError } from '../command.ts';
import { table } from '../text/text-table.ts';
import { showFault, showListed } from './listed-prices.ts';

const OPTIONS = { horizon: { type: 'string' }, from: { type: 'string' } } as const;

/** Shows what a decision without skill gets, from the bars that evaluations use. */
export const baseRatesCommand: Command = {
  usage: 'IDENTITY --horizon trading_days:N|holding_seconds:N [--from TIME]',
  summary: 'show how often each bucket results for each direction, over all past windows of a horizon',
  json:
    '{ instrument, fault: null, or why there are no bars, source, bar_size, from, to, horizon_kind, horizon_value, ' +
    'method, starts, graded, ungraded: { reason: count }, counts: { direction: { bucket: count } } }',
  read(args) {
    const { positionals, values } = argumentsIn(args, OPTIONS);
    const [text, ...others] = positionals;
    if (text === undefined || others.length > 0) throw new UsageError('Name one instrument.');
    const request: RatesRequest = {
      instrument: instrumentIn(text),
      horizon: horizonIn(values.horizon),
      from: values.from === undefined ? null : timeIn(values.from, '--from'),
    };
    return (context) =>
      showListed(context, request.instrument, (marketData, listing) =>
        showRates(context, marketData, listing, request),
      );
  },
};

interface RatesRequest {
  readonly instrument: Instrument;
  readonly horizon: Horizon;
  /** The oldest bar to use; null for all that there are. */
  readonly from: Millis | null;
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
  marketData: MarketData,
  { history_from, sizes, source }: Listing,
  { instrument, horizon, from }: RatesRequest,
): Promise<ExitCode> {
  const name = instrumentKey(instrument);
  const now = (await context.storage.clock.now()).getTime();
  const barsOf = (size: BarSize, since: Millis) => marketData.bars(instrument, size, since, now, now);
  const [size] = sizesInOrder(wantedSize(horizon.horizon_kind, horizon.horizon_value), sizes);
  const daily = await barsOf('1d', history_from);
  const path = size === undefined || size === '1d' ? within(daily, from) : await barsOf(size, from ?? history_from);
  const [first, last] = [path.bars.at(0), path.bars.at(-1)];
  if (!first || !last) return showFault(context, name, `There are no ${path.size} bars of it.`);
  const rates = baseRates({ instrument, path, daily }, horizon, now);
  const period = { from: rfc3339(first.start), to: rfc3339(last.end) };
  context.print(`${name} from ${source}: ${path.size} bars from ${period.from} to ${period.to}`);
  for (const line of rateLines(rates)) context.print(line);
  context.report({ instrument: name, fault: null, source, bar_size: path.size, ...period, ...horizon, ...rates });
  return 0;
}

function within<T extends { readonly bars: readonly { readonly start: Millis }[] }>(series: T, from: Millis | null): T {
  return from === null ? series : { ...series, bars: series.bars.filter(({ start }) => start >= from) };
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
