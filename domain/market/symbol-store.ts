/** The files of the tickers listed in the United States; they do not overlap. */
export const SYMBOL_FILES = ['nasdaqlisted', 'otherlisted'] as const;
export type SymbolFileName = (typeof SYMBOL_FILES)[number];

/** One of the files as fetched. */
export interface SymbolFile {
  readonly name: SymbolFileName;
  /** The creation time inside the file. */
  readonly created_at: Date;
  /** Normalised, each once, never empty. */
  readonly symbols: readonly string[];
}

export interface StoredSymbolFile {
  readonly name: SymbolFileName;
  readonly created_at: Date;
  /** The number of symbols. */
  readonly symbols: number;
  readonly stored_at: Date;
}

/** Where the files are fetched from. */
export interface SymbolSource {
  /** Returns all files. Throws `SourceUnavailable` unless every one arrived complete and well-formed. */
  fetch(): Promise<readonly SymbolFile[]>;
}

export interface ListedSymbols {
  readonly listed: readonly string[];
  /** Formerly listed symbols: records may be about that time. */
  readonly delisted: readonly string[];
}

/** The US tickers as last fetched. */
export interface SymbolStore {
  /** The files that were stored last; locked until the transaction ends. */
  files(): Promise<readonly StoredSymbolFile[]>;

  /**
   * Makes the symbols of these files the listed ones. Other listed symbols are delisted as of `now` and stay known; one
   * that returns is listed since `now`.
   */
  replace(files: readonly SymbolFile[], now: Date): Promise<void>;

  /** When the symbols last changed; null when there are none. */
  changedAt(): Promise<Date | null>;

  all(): Promise<ListedSymbols>;
}
