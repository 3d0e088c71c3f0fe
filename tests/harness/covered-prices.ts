import type { Ports } from '../../application/ports.ts';
import { openCoverage } from '../../domain/market/market-data.ts';

/** Ports with a source that covers every instrument in every bar size, where prices are not what a test is about. */
export const coveredPrices = ({ marketData }: Ports) => ({
  marketData: { ...marketData, coverage: async () => [openCoverage('live', () => 0)] },
});
