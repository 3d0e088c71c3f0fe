/** The kinds of listings that sources name differently, each by the end of our symbol; `$1` is a class, if there is one. */
const KINDS = {
  preferred: /\.PR([A-Z]?)$/,
  warrant: /\.WS(?:\.([A-Z]))?$/,
  unit: /\.U$/,
  right: /\.RT$/,
  when_issued: /\.WI$/,
  share_class: /\.([A-Z])$/,
} as const;

/** What a source writes in place of the end of our symbol; a kind that is not listed has our own name there. */
type SourceNames = Readonly<Partial<Record<keyof typeof KINDS, string>>>;

/** Yahoo Finance: `BRK-B`, `ABR-PB`, `AAC-WT`, `AAC-UN`, `AIIA-RI`, `ABC-WI`. */
export const YAHOO_NAMES: SourceNames = {
  preferred: '-P$1',
  warrant: '-WT$1',
  unit: '-UN',
  right: '-RI',
  when_issued: '-WI',
  share_class: '-$1',
};

/** Massive: `ABRpB`, `AIIAr`, `ABCw` by small letters; `BRK.B`, `AAC.WS` and `AAC.U` as here. */
export const MASSIVE_NAMES: SourceNames = { preferred: 'p$1', right: 'r', when_issued: 'w' };

/** The name of a listing at a source. */
export function tickerAt(names: SourceNames, symbol: string): string {
  const kinds = Object.keys(KINDS) as (keyof typeof KINDS)[];
  const kind = kinds.find((each) => KINDS[each].test(symbol));
  const written = kind && names[kind];
  return kind === undefined || written === undefined ? symbol : symbol.replace(KINDS[kind], written);
}
