import { PEG_EXCHANGES } from '../../adapters/market/pegs/peg-sources.ts';
import type { Ports } from '../../application/ports.ts';
import { COINS } from '../../domain/circuits/coin.ts';
import { SOURCE_REPORTS } from '../../domain/limits.ts';
import type { SourceHealth, SourceReport } from '../../domain/market/source-health.ts';
import type { Config } from '../config/config.ts';
import type { Logger } from '../logging/logger.ts';
import { processName } from './process-name.ts';

/** What each configured source serves, in words, by the name of the source. */
export function servedBy(config: Config['marketData']): ReadonlyMap<string, string> {
  const { network, crypto, ccxtVenues, stocks, pegs } = config;
  if (!network) return new Map();
  const pairs = [
    ...Object.entries(crypto).flatMap(([venue, names]) => names.map((name) => [name, venue] as const)),
    ...ccxtVenues.map((venue) => [`ccxt-${venue.toLowerCase()}`, venue] as const),
    ...stocks.map((name) => [name, 'US stocks'] as const),
    ...(pegs === null ? [] : PEGS),
  ].filter(([name]) => name !== 'files');
  const bySource = Map.groupBy(pairs, ([name]) => name);
  return new Map([...bySource].map(([name, all]) => [name, all.map(([, served]) => served).join(', ')]));
}

const PEGS = COINS.flatMap((coin) => PEG_EXCHANGES[coin].map((name) => [`peg-${name}`, coin] as const));

/** Writes the health of this process's sources to the database, for `npm run admin -- sources`; returns the stop. */
export function reportSources(
  { sourceHealth, clock }: Pick<Ports, 'sourceHealth' | 'clock'>,
  health: () => readonly SourceHealth[],
  { marketData }: Config,
  log: Logger,
): () => Promise<void> {
  const served = servedBy(marketData);
  const name = processName();
  if (health().length === 0) return async () => undefined;
  const write = async (reports: readonly SourceReport[]) => sourceHealth.record(name, reports, await clock.now());
  let writing = Promise.resolve();
  const round = () => {
    writing = writing
      .then(() => write(health().map((each) => reportOf(each, served))))
      .catch((error: unknown) =>
        log.warn('Could not write the health of the market data sources; the next report is in 15 s', { error }),
      );
  };
  round();
  const timer = setInterval(round, SOURCE_REPORTS.every);
  timer.unref();
  return async () => {
    clearInterval(timer);
    await writing;
    await write([]);
  };
}

/** If an exchange has two interfaces, the name of the second begins with that of the first. */
function reportOf(health: SourceHealth, served: ReadonlyMap<string, string>): SourceReport {
  const { source } = health;
  const [, serves] = [...served].find(([name]) => source === name || source.startsWith(`${name}-`)) ?? [];
  return { ...health, serves: serves ?? '' };
}
