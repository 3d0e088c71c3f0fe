import { SourceUnavailable } from '../../../domain/market/market-data.ts';

/** What we use of the package `ccxt`. */
export interface CcxtLibrary {
  /** The ids of the exchanges; under each the library has its class. */
  readonly exchanges: readonly string[];
  /** What all its own errors are. */
  readonly BaseError: new (
    message: string,
  ) => Error;
  readonly [id: string]: unknown;
}

export interface CcxtExchange {
  readonly has: Readonly<Record<string, unknown>>;
  /** Asks the exchange on the first call, or when `reload` is set. */
  loadMarkets(reload: boolean): Promise<unknown>;
  /** Rows `[start, open, high, low, close, volume]`. */
  fetchOHLCV(symbol: string, timeframe: string, since: number, limit: number, params: object): Promise<unknown>;
}

/** A name that the compiler does not look up: the package is 60 MB, and few need it. */
const PACKAGE: string = 'ccxt';

/** The package `ccxt`, which is not installed with the project. @throws SourceUnavailable saying how to add it */
export async function loadCcxt(name: string = PACKAGE): Promise<CcxtLibrary> {
  try {
    const { default: library } = (await import(name)) as { readonly default: CcxtLibrary };
    return library;
  } catch (error) {
    if (!(error as NodeJS.ErrnoException).code?.endsWith('MODULE_NOT_FOUND')) throw error;
    throw new SourceUnavailable('ccxt is not installed: npm install --no-save --ignore-scripts ccxt@4');
  }
}
