import { openDialog } from '../kit/dialogs.ts';
import { DIRECTIONS, LIFECYCLE_STATES, RESULT_BUCKETS } from '../kit/domain.ts';
import { button, type Child, fill, h } from '../kit/elements.ts';
import { checkField, choiceField, type Field, form, isChecked, textField, textOf } from '../kit/forms.ts';
import { keepChoice, keptChoice } from '../kit/kept.ts';
import type { NamedAgent } from '../kit/lists.ts';
import { plain, statedWords } from '../kit/value-texts.ts';
import type { OwnRow } from '../kit/wire.ts';
import { goTo } from '../shell/arrival.ts';
import { FILTERS, type Filter, type Filters, filtersOf, listAddress, searched } from './decision-query.ts';

const ANY = ['', 'any'] as const;

/** The filters of the list: each that is set as a link that removes it, those that were saved, and the form. */
export function filterPart(filters: Filters, agents: readonly NamedAgent[], again: () => void): HTMLElement {
  const saved = h('div', { class: 'chips' });
  showSaved(saved, filters);
  return h('div', { class: 'filtering-part' }, chips(filters, agents), saved, filterForm(filters, agents, again));
}

/** Nothing without a filter. */
function chips(filters: Filters, agents: readonly NamedAgent[]): HTMLElement | null {
  const set = FILTERS.flatMap((name) => (filters[name] === undefined ? [] : [[name, filters[name]] as const]));
  if (set.length === 0) return null;
  return h(
    'ul',
    { class: 'chips', 'aria-label': 'Filters that are set' },
    ...set.map(([name, value]) => {
      const { [name]: _, ...others } = filters;
      const words = chipWords(name, value, agents);
      return h('li', {}, chip(listAddress(others), words, `Remove the filter: ${words}`));
    }),
    h('li', {}, h('a', { href: listAddress({}) }, 'Show all')),
  );
}

function chip(href: string, words: string, label: string): HTMLElement {
  const cross = h('span', { 'aria-hidden': 'true', class: 'cross' }, '\u00d7');
  return h('a', { class: 'chip', href, 'aria-label': label }, words, cross);
}

const NAMES: Readonly<Record<Filter, string>> = {
  agent_id: 'Agent',
  group_id: 'Group',
  market: 'Market',
  symbol: 'Symbol',
  direction: 'Direction',
  lifecycle_state: 'State',
  result_bucket: 'Result',
  submitted_since: 'Submitted from (UTC)',
  submitted_until: 'Submitted to (UTC)',
  evaluated_since: 'Graded from (UTC)',
  submission_origin: 'Stated',
  ended_since: 'Window ended from (UTC)',
  ended_until: 'Window ended to (UTC)',
  include_archived: 'Archived',
};

const ORIGINS = [
  ['realtime', 'before the prices were known'],
  ['retroactive', 'after'],
] as const;

function chipWords(name: Filter, value: string, agents: readonly NamedAgent[]): string {
  if (name === 'include_archived') return 'also archived';
  if (name === 'submission_origin') return statedWords({ submission_origin: value as OwnRow['submission_origin'] });
  const shown = name === 'agent_id' ? nameOf(value, agents) : name === 'symbol' ? value : plain(value);
  return `${NAMES[name]}: ${shown}`;
}

function nameOf(agentId: string, agents: readonly NamedAgent[]): string {
  return agents.find(({ agent_id }) => agent_id === agentId)?.name ?? agentId;
}

const KEPT = 'decision-filters';
const LONGEST_NAME = 40;

/** Filters by the names that the reader gave them, in this browser. */
type Saved = Readonly<Record<string, string>>;

function isSaved(value: unknown): value is Saved {
  return typeof value === 'object' && value !== null && Object.values(value).every((each) => typeof each === 'string');
}

function readSaved(): Saved {
  return keptChoice<Saved>(KEPT, isSaved, {});
}

/** The names of the saved filters as links, and the button that saves what is set now. */
function showSaved(box: HTMLElement, filters: Filters): void {
  const saved = readSaved();
  const current = listAddress(filters);
  const keep = (next: Saved) => {
    keepChoice(KEPT, next);
    showSaved(box, filters);
    box.querySelector<HTMLElement>('a, button')?.focus();
  };
  const links = Object.entries(saved).map(([name, query]) => {
    const href = listAddress(filtersOf(new URLSearchParams(query)));
    const remove = () => {
      const { [name]: _, ...others } = saved;
      keep(others);
    };
    return h(
      'span',
      { class: 'saved' },
      h('a', { class: 'chip', href, 'aria-current': href === current && 'true' }, name),
      button('\u00d7', remove, { 'aria-label': `Forget the filter ${name}`, class: 'quiet' }),
    );
  });
  const isNew = Object.keys(filters).length > 0 && !links.some((each) => each.querySelector('[aria-current]'));
  const save = async () => {
    const name = await askName();
    if (name !== null) keep({ ...saved, [name]: new URLSearchParams(filters).toString() });
  };
  fill(
    box,
    links.length > 0 && h('span', { class: 'soft' }, 'Saved:'),
    ...links,
    isNew && button('Save this filter', save, { class: 'quiet' }),
  );
  box.hidden = box.childElementCount === 0;
}

function askName(): Promise<string | null> {
  const name = textField(
    { name: 'name', label: 'Name', hint: 'Kept in this browser until you sign out.' },
    { required: true, maxlength: LONGEST_NAME, autofocus: true, autocomplete: 'off' },
  );
  return openDialog<string>('Save this filter', (close): readonly Child[] => [
    form({
      fields: [name],
      action: 'Save',
      extra: [button('Cancel', () => close(null))],
      async send() {
        close(textOf(name) ?? null);
      },
    }),
  ]);
}

/** Sending the form changes the address. An id of a decision leads to that decision. */
function filterForm(filters: Filters, agents: readonly NamedAgent[], again: () => void): HTMLElement {
  const search = textField(
    { name: 'symbol', label: 'Symbol, or id of a decision' },
    { type: 'search', value: filters.symbol, autocomplete: 'off', spellcheck: 'false', placeholder: 'MSFT' },
  );
  const named = agents.map(({ agent_id, name }) => [agent_id, name] as const);
  const chosen = [
    choice('agent_id', 'Agent', named, filters),
    choice('market', 'Market', ['stock', 'crypto'].map(pair), filters),
    choice('direction', 'Direction', DIRECTIONS.map(pair), filters),
    choice('lifecycle_state', 'State', LIFECYCLE_STATES.map(pair), filters),
    choice('result_bucket', 'Bucket', RESULT_BUCKETS.map(pair), filters),
    textField(
      { name: 'submitted_since', label: 'Submitted from (UTC)' },
      { type: 'date', value: filters.submitted_since },
    ),
    textField({ name: 'submitted_until', label: 'to (UTC)' }, { type: 'date', value: filters.submitted_until }),
    textField(
      { name: 'evaluated_since', label: 'Graded from (UTC)' },
      { type: 'date', value: filters.evaluated_since },
    ),
    choice('submission_origin', 'Stated', ORIGINS, filters),
    textField({ name: 'ended_since', label: 'Window ended from (UTC)' }, { type: 'date', value: filters.ended_since }),
    textField({ name: 'ended_until', label: 'to (UTC)' }, { type: 'date', value: filters.ended_until }),
  ];
  const archived = checkField(
    { name: 'include_archived', label: 'Also archived' },
    filters.include_archived === 'true',
  );
  const filtering = form({
    fields: [search, ...chosen, archived],
    action: 'Show',
    class: 'filters',
    async send() {
      const found = searched(textOf(search) ?? '');
      if ('record' in found) return goTo(`#/records/${found.record}`);
      const kept = Object.fromEntries(chosen.flatMap((field) => (textOf(field) ? [[field.name, textOf(field)]] : [])));
      const symbol = found.symbol === '' ? {} : { symbol: found.symbol };
      const address = listAddress({ ...symbol, ...kept, ...(isChecked(archived) ? { include_archived: 'true' } : {}) });
      if (address === location.hash) again();
      else goTo(address);
    },
  });
  return h('details', { class: 'filtering' }, h('summary', {}, 'Search and filter'), filtering);
}

function choice(
  name: keyof Filters,
  label: string,
  options: readonly (readonly [string, string])[],
  filters: Filters,
): Field {
  const value = filters[name];
  // An address may name what is not among the options, such as an agent whose name could not be read.
  const unknown = value !== undefined && !options.some(([each]) => each === value) ? [[value, value] as const] : [];
  return choiceField({ name, label }, [ANY, ...options, ...unknown], value);
}

function pair(term: string): readonly [string, string] {
  return [term, plain(term)];
}
