import { cohortAddress } from '../cohorts/cohort-query.ts';
import { DIRECTIONS, LIFECYCLE_STATES, RESULT_BUCKETS } from '../kit/domain.ts';
import { plain } from '../kit/value-texts.ts';
import { listAddress, searched } from '../records/decision-query.ts';

/** Something to go to. */
export interface PaletteItem {
  readonly words: string;
  /** What it is, in a word. */
  readonly kind: string;
  readonly href: string;
  /** Other words that find it. */
  readonly also?: string;
}

/** What the search offers besides what it reads: pages of the service, and filters of the list of decisions. */
export const FIXED: readonly PaletteItem[] = [
  { words: 'New API key', kind: 'action', href: '#/keys', also: 'create key' },
  { words: 'New webhook', kind: 'action', href: '#/webhooks', also: 'create' },
  { words: 'New workflow', kind: 'action', href: '#/workflows/new', also: 'create' },
  { words: 'State a question', kind: 'action', href: '#/plans', also: 'plan' },
  { words: 'Import a back-test', kind: 'action', href: '/import', also: 'csv freqtrade lean' },
  { words: 'Connect an agent', kind: 'action', href: '/guide/first-agent', also: 'mcp start first' },
  { words: 'Change the password', kind: 'setting', href: '#/settings', also: 'account' },
  { words: 'Time zone and preferences', kind: 'setting', href: '#/settings', also: 'language name' },
  { words: 'Second factors and passkeys', kind: 'setting', href: '#/security', also: 'totp sessions' },
  { words: 'Download all your data', kind: 'setting', href: '#/settings', also: 'export parquet csv' },
  { words: 'Atlas', kind: 'page', href: '#/atlas' },
  { words: 'Public records', kind: 'page', href: '#/entries' },
  { words: 'Cohorts', kind: 'page', href: '#/cohorts' },
  { words: 'Verify a receipt', kind: 'page', href: '/verify', also: 'proof' },
  { words: 'Guide', kind: 'page', href: '/guide/', also: 'documents help' },
  { words: 'Reference of the interface', kind: 'page', href: '/docs', also: 'api openapi' },
  ...RESULT_BUCKETS.map((bucket) => filterItem({ result_bucket: bucket }, plain(bucket))),
  ...DIRECTIONS.map((direction) => filterItem({ direction }, direction)),
  ...LIFECYCLE_STATES.map((state) => filterItem({ lifecycle_state: state }, plain(state))),
];

function filterItem(filters: Parameters<typeof listAddress>[0], words: string): PaletteItem {
  return { words: `Your decisions: ${words}`, kind: 'filter', href: listAddress(filters) };
}

const MOST = 12;

/** The items that the words find, in their order; then what can be made of the words themselves. */
export function foundItems(typed: string, items: readonly PaletteItem[]): readonly PaletteItem[] {
  const text = typed.trim();
  const words = text.toLowerCase().split(/\s+/);
  const found = items.filter(({ words: name, also = '', kind }) => {
    const all = `${name} ${also} ${kind}`.toLowerCase();
    return words.every((word) => all.includes(word));
  });
  const made = text === '' ? { before: [], after: [] } : madeOf(text);
  return [...made.before, ...found.slice(0, MOST), ...made.after];
}

const SYMBOL = /^[a-z0-9][a-z0-9.^/_-]{0,19}$/i;

/** An id, a cohort in words, an instrument, and a question to the guide. */
function madeOf(text: string): { readonly before: readonly PaletteItem[]; readonly after: readonly PaletteItem[] } {
  const sought = searched(text);
  if ('record' in sought) {
    return { before: [{ words: text, kind: 'decision', href: `#/records/${sought.record}` }], after: [] };
  }
  const guide = {
    words: `Search the guide for \u201c${text}\u201d`,
    kind: 'guide',
    href: `/guide/?q=${encodeURIComponent(text)}`,
  };
  const [, symbol = '', direction] = /^cohort\s+(\S+)(?:\s+(bullish|bearish|neutral))?$/i.exec(text) ?? [];
  if (symbol !== '') return { before: cohortItems(symbol, direction?.toLowerCase()), after: [guide] };
  const name = text.toUpperCase();
  const own = { words: `Your decisions on ${name}`, kind: 'instrument', href: listAddress({ symbol: name }) };
  return { before: [], after: [...(SYMBOL.test(text) ? [own, ...cohortItems(text)] : []), guide] };
}

function cohortItems(symbol: string, direction?: string): readonly PaletteItem[] {
  return (['stock', 'crypto'] as const).map((market) => ({
    words: `Cohort of ${symbol.toUpperCase()}${direction ? `, ${direction}` : ''}, ${market}`,
    kind: 'cohort',
    href: cohortAddress({ market, symbol: symbol.toUpperCase(), ...(direction && { direction }) }),
  }));
}
