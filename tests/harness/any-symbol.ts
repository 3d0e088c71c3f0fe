import type { SymbolDirectory } from '../../domain/market/symbol-directory.ts';

/** A directory that knows every ticker and, of coins, those whose pairs tests write without a separator. */
export const ANY_SYMBOL: SymbolDirectory = {
  known: () => true,
  nearest: () => [],
  leftAt: () => null,
  beginning: () => [],
  knowsCoin: (symbol) => ['BTC', 'ETH', 'SOL', 'USDC', 'WBTC', 'TUSD'].includes(symbol),
};
