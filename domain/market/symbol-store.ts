/** The files that name what is listed in the United States; one lists what the others do not. */
export const SYMBOL_FILES = ['nasdaqlisted', 'otherlisted'] as const;
export type SymbolFileName = (typeof SYMBOL_FILES)[number];

/** One of the files as it was fetched. */
export interface SymbolFile {
  readonly name: SymbolFileName;
  /** When it was made, by itself. */
  readonly created_at: Date;
  /** Normalised, each once, never empty. */
  readonly symbols: readonly string[];
}

export interface StoredSymbolFile {
  readonly name: SymbolFileName;
  readonly created_at: Date;
  /** How many. */
  readonly symbols: number;
  readonly stored_at: Date;
}

/** Where the files come from. */
export interface SymbolSource {
  /** All of them. Throws `SourceUnavailable` unless every one came whole and well-formed. */
  fetch(): Promise<readonly SymbolFile[]>;
}

export interface ListedSymbols {
  readonly listed: readonly string[];
  /** Listed once: records may be about the time before. */
  readonly delisted: readonly string[];
}

/** The US tickers as they were last fetched. */
export interface SymbolStore {
  /** The files that were stored last; locked until the transaction ends. */
  files(): Promise<readonly StoredSymbolFile[]>;

  /**
   * Makes exactly the symbols of these files the listed ones. Others that were listed are delisted as of `now` and stay
   * known; one that comes back is listed since `now`.
   */
  replace(files: readonly SymbolFile[], now: Date): Promise<void>;

  /** When the symbols last changed; null when there are none. */
  changedAt(): Promise<Date | null>;

  all(): Promise<ListedSymbols>;
}
