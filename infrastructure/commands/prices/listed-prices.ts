import { type Instrument, instrumentKey } from '../../../domain/market/instrument.ts';
import { type Listing, type MarketData, SourceUnavailable } from '../../../domain/market/market-data.ts';
import { openMarketData } from '../../compose/market-sources.ts';
import { createLogger } from '../../logging/logger.ts';
import type { CommandContext, ExitCode } from '../command.ts';

/**
 * Shows what is made of the prices of an instrument, from the source that lists it. An instrument that no source knows,
 * or whose source cannot be read, is reported as a fault, with exit code 1.
 */
export async function showListed(
  context: CommandContext,
  instrument: Instrument,
  show: (marketData: MarketData, listing: Listing) => Promise<ExitCode>,
): Promise<ExitCode> {
  const { marketData } = openMarketData(context.config.marketData, createLogger({ level: 'silent', format: 'json' }));
  const name = instrumentKey(instrument);
  try {
    const listing = await marketData.describe(instrument);
    return listing ? await show(marketData, listing) : showFault(context, name, `No source knows ${name}.`);
  } catch (error) {
    if (!(error instanceof SourceUnavailable)) throw error;
    return showFault(context, name, `${name} cannot be read: ${error.message}`);
  }
}

/** Reports why there are no prices to show. */
export function showFault({ print, report }: CommandContext, instrument: string, fault: string): ExitCode {
  print(fault);
  report({ instrument, fault });
  return 1;
}
