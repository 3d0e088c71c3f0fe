import {
  type Content,
  type Format,
  type Found,
  ImportError,
  type ImportOptions,
  type Json,
  listOf,
  membersOf,
  numberIn,
  oneOf,
  priceIn,
  textIn,
  wordIn,
} from './found.ts';

const RATINGS: Readonly<Record<string, 'bullish' | 'bearish' | 'neutral'>> = {
  buy: 'bullish',
  overweight: 'bullish',
  hold: 'neutral',
  underweight: 'bearish',
  sell: 'bearish',
};

/** The first line of an entry: `[2026-01-10 | NVDA | Buy | pending]`, later with returns and the days measured. */
const ENTRY = /^\[(\d{4}-\d\d-\d\d) \| ([^|\]]+) \| ([^|\]]+) \| [^\]]+\]$/;

/** The memory log of TradingAgents (`trading_memory.md`). */
export const tradingAgents: Format = {
  name: 'tradingagents',
  what: 'the memory log of TradingAgents (trading_memory.md)',
  is: ({ text, json }) => json === undefined && /^\s*\[\d{4}-\d\d-\d\d \| /.test(text),
  read: ({ text }, options) => ({
    source: 'TradingAgents memory log',
    perspective: 'composite',
    found: entriesOf(text, options),
  }),
};

function* entriesOf(text: string, options: ImportOptions): Generator<Found> {
  let line = 1;
  for (const raw of text.split('<!-- ENTRY_END -->')) {
    const lines = raw.split(/\r?\n/);
    const first = lines.findIndex((each) => each.trim() !== '');
    if (first >= 0)
      yield entryOf(
        lines.slice(first).map((each) => each.trimEnd()),
        `line ${line + first}`,
        options,
      );
    line += lines.length - 1;
  }
}

function entryOf([head = '', ...body]: readonly string[], place: string, options: ImportOptions): Found {
  const [, date, ticker, rating] = ENTRY.exec(head.trim()) ?? [];
  const direction = wordIn(RATINGS, rating?.toLowerCase());
  if (date === undefined || ticker === undefined || !direction) {
    return { kind: 'refused', place, why: 'It begins with no line such as [2026-01-10 | NVDA | Buy | pending].' };
  }
  // What was written after the outcome is no part of the decision.
  const text =
    body
      .join('\n')
      .split(/^REFLECTION:$/m)[0]
      ?.replace(/^\s*DECISION:\s*/, '')
      .trim() ?? '';
  if (rating?.toLowerCase() === 'hold' && !hasRating(text)) {
    return { kind: 'left_out', place, why: 'entries without a rating, which TradingAgents logs as Hold' };
  }
  const misread = misreadIn(text);
  if (misread !== null) {
    return { kind: 'refused', place, why: `TradingAgents took its rating ${rating} from ${JSON.stringify(misread)}.` };
  }
  const part = (name: string) => new RegExp(`^\\*\\*${name}\\*\\*:\\s*(.+)$`, 'm').exec(text)?.[1]?.trim();
  const target = priceIn(part('Price Target')?.replace(/^\$/, '').replaceAll(',', ''));
  return {
    kind: 'entry',
    place,
    ...yahooInstrument(ticker.trim(), options),
    direction,
    time: { at: date, edge: 'end' },
    model: 'TradingAgents',
    factors: [`Rated ${rating}`],
    summary: part('Executive Summary') ?? text,
    ...(target === undefined ? {} : { target }),
  };
}

/** Whether a text has a word by which TradingAgents rates it. */
function hasRating(text: string): boolean {
  return text
    .toLowerCase()
    .split(/\s+/)
    .some((word) => Object.hasOwn(RATINGS, word.replace(/^[*:.,]+|[*:.,]+$/g, '')));
}

/** Characters of a line that are searched. */
const LONGEST_LINE = 5_000;

/**
 * The words from which TradingAgents (0.3.0, parse_rating) took a rating that none is: it looks for `rating` inside words too,
 * so that "Operating leverage - sell-side estimates rise" is a Sell. Null where it took no such words.
 */
function misreadIn(text: string): string | null {
  for (const line of text.split('\n')) {
    const found = /rating.*?[:-][\s*]*(\w+)/i.exec(line.slice(0, LONGEST_LINE));
    if (!found || !Object.hasOwn(RATINGS, found[1]?.toLowerCase() ?? '')) continue;
    return /[a-z]$/i.test(line.slice(0, found.index)) ? line.trim().slice(0, 80) : null;
  }
  return null;
}

/** Yahoo's suffixes of Shanghai and Shenzhen are no part of a symbol here; those of other venues are. */
function yahooInstrument(
  ticker: string,
  options: ImportOptions,
): Partial<Extract<Found, { kind: 'entry' }>> & { readonly symbol: string } {
  const [, code, suffix] = /^(\d{6})\.(SS|SZ)$/i.exec(ticker) ?? [];
  if (code !== undefined)
    return {
      symbol: code,
      market: 'stock',
      venue: suffix?.toUpperCase() === 'SS' ? 'SSE' : 'SZSE',
      asset_class: 'spot',
    };
  const [, base, quote] = /^([A-Z0-9]+)-(USD|USDT|USDC|EUR|GBP|BTC|ETH)$/i.exec(ticker) ?? [];
  if (base === undefined || quote === undefined) return { symbol: ticker };
  return { symbol: base, quote, market: 'crypto', asset_class: options['asset-class'] ?? 'spot', venue: options.venue };
}

/** Results of ai-hedge-fund 2: cycles, a back-test of them, or a list. */
export const hedgeFund: Format = {
  name: 'ai-hedge-fund',
  what: 'cycles or a back-test of ai-hedge-fund 2',
  is: ({ json }) => cyclesIn(json).some((cycle) => 'strategies' in cycle && 'as_of' in cycle),
  read({ json }, options) {
    const signals = cyclesIn(json).flatMap((cycle, at) =>
      listOf(cycle.strategies)
        .map(membersOf)
        .flatMap((strategy, of) =>
          listOf(strategy.signals).map((signal, index) => ({
            signal: membersOf(signal),
            place: `cycle ${at}, strategies[${of}].signals[${index}]`,
          })),
        ),
    );
    const model = oneOf(
      signals.flatMap(({ signal }) => textIn(signal.model_name) ?? []),
      options,
      'model',
    );
    return {
      source: `ai-hedge-fund signals, ${model}`,
      perspective: 'composite',
      found: signals
        .filter(({ signal }) => signal.model_name === model)
        .map(({ signal, place }) => signalOf(signal, place, model, options)),
    };
  },
};

function cyclesIn(json: unknown): readonly Json[] {
  const { records } = membersOf(json);
  return (Array.isArray(json) ? json : Array.isArray(records) ? records : [json]).map(membersOf);
}

function signalOf(signal: Json, place: string, model: string, options: ImportOptions): Found {
  const [ticker, date, value] = [textIn(signal.ticker), textIn(signal.date), numberIn(signal.value)];
  if (ticker === undefined || date === undefined || value === undefined || Math.abs(value) > 1) {
    return { kind: 'refused', place, why: 'It has no ticker, no date, or no value from -1 to 1.' };
  }
  const { abstained } = membersOf(signal.metadata);
  // A model without an LLM says no view by 0; one with an LLM says by abstained whether 0 is its view.
  if (abstained === true || (value === 0 && abstained !== false))
    return { kind: 'left_out', place, why: 'signals without a view' };
  return {
    kind: 'entry',
    place,
    ...yahooInstrument(ticker, options),
    direction: value === 0 ? 'neutral' : value > 0 ? 'bullish' : 'bearish',
    time: { at: date, edge: 'end' },
    model,
    ...(value === 0 ? {} : { confidence: Math.abs(value) }),
    summary: textIn(signal.reasoning),
  };
}

/** A result of ai-hedge-fund 1, which has no date: the user gives it. */
export const hedgeFund1: Format = {
  name: 'ai-hedge-fund-1',
  what: 'a result of ai-hedge-fund 1 (decisions and analyst_signals)',
  is: ({ json }) => ['decisions', 'analyst_signals'].every((name) => name in membersOf(json)),
  read({ json }: Content, options) {
    const { date } = options;
    if (date === undefined)
      throw new ImportError(
        'A result of ai-hedge-fund 1 has no date: add --date, the last day of its data, such as 2026-01-30.',
      );
    return {
      source: 'ai-hedge-fund 1 decisions',
      perspective: 'composite',
      found: Object.entries(membersOf(membersOf(json).decisions)).map(([ticker, decision]) =>
        tradeOf(ticker, membersOf(decision), date, options),
      ),
    };
  },
};

function tradeOf(ticker: string, decision: Json, date: string, options: ImportOptions): Found {
  const place = `decisions.${ticker}`;
  const action = textIn(decision.action)?.toLowerCase() ?? '';
  if (['sell', 'cover'].includes(action))
    return { kind: 'left_out', place, why: 'sell and cover, which close a position' };
  if (action === 'hold') return { kind: 'left_out', place, why: 'hold, which keeps a position' };
  if (action !== 'buy' && action !== 'short')
    return { kind: 'refused', place, why: 'Its action is none of buy, sell, short, cover and hold.' };
  const confidence = numberIn(decision.confidence);
  return {
    kind: 'entry',
    place,
    ...yahooInstrument(ticker, options),
    direction: action === 'buy' ? 'bullish' : 'bearish',
    time: { at: date, edge: 'end' },
    model: 'ai-hedge-fund',
    ...(confidence === undefined ? {} : { confidence: confidence / 100 }),
    summary: textIn(decision.reasoning),
  };
}
