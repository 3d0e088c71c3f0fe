import type { NamedAgent } from '../kit/agent-names.ts';
import { DIRECTIONS, LIFECYCLE_STATES, RESULT_BUCKETS } from '../kit/domain.ts';
import { h } from '../kit/elements.ts';
import { checkField, choiceField, type Field, form, isChecked, textField, textOf } from '../kit/forms.ts';
import { plain } from '../kit/value-texts.ts';
import { goTo } from '../shell/arrival.ts';
import { type Filters, listAddress, searched } from './decision-query.ts';

const ANY = ['', 'any'] as const;

/** The filters of the list; sending them changes the address. An id of a decision leads to that decision. */
export function filterForm(filters: Filters, agents: readonly NamedAgent[], again: () => void): HTMLElement {
  const search = textField(
    { name: 'symbol', label: 'Symbol, or id of a decision' },
    { type: 'search', value: filters.symbol, autocomplete: 'off', spellcheck: 'false', placeholder: 'MSFT' },
  );
  const chosen = [
    choice(
      'agent_id',
      'Agent',
      agents.map(({ agent_id, name }) => [agent_id, name] as const),
      filters,
    ),
    choice('market', 'Market', ['stock', 'crypto'].map(pair), filters),
    choice('direction', 'Direction', DIRECTIONS.map(pair), filters),
    choice('lifecycle_state', 'State', LIFECYCLE_STATES.map(pair), filters),
    choice('result_bucket', 'Bucket', RESULT_BUCKETS.map(pair), filters),
    textField({ name: 'submitted_since', label: 'Submitted from' }, { type: 'date', value: filters.submitted_since }),
    textField({ name: 'submitted_until', label: 'to' }, { type: 'date', value: filters.submitted_until }),
  ];
  const archived = checkField(
    { name: 'include_archived', label: 'Also archived' },
    filters.include_archived === 'true',
  );
  const isFiltered = Object.keys(filters).length > 0;
  const filtering = form({
    fields: [search, ...chosen, archived],
    action: 'Show',
    extra: [isFiltered && h('a', { href: listAddress({}) }, 'Show all')],
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
  // On a phone the filters would fill the first screen.
  const isOpen = isFiltered || matchMedia('(min-width: 48.01rem)').matches;
  return h('details', { class: 'filtering', open: isOpen }, h('summary', {}, 'Search and filter'), filtering);
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
