import { DIRECTIONS } from '../kit/domain.ts';
import { checkField, choiceField, type Field, form, isChecked, textField, textOf } from '../kit/forms.ts';
import { plain } from '../kit/value-texts.ts';
import { goTo } from '../shell/arrival.ts';
import { type CohortFilters, cohortAddress } from './cohort-query.ts';

/** Chooses what is counted; sending it changes the address. */
export function cohortForm(filters: CohortFilters, again: () => void): HTMLElement {
  const fields = [
    choice('market', 'Market', ['stock', 'crypto'], filters, []),
    text('symbol', 'Symbol', filters, { placeholder: 'MSFT' }),
    choice('direction', 'Direction', DIRECTIONS, filters),
    text('period', 'Year, month or day', filters, { placeholder: '2003-02' }),
    text('venue', 'Venue', filters, { placeholder: 'NASDAQ' }),
    choice('asset_class', 'Asset class', ['spot', 'perp'], filters),
    text('quote_currency', 'Quote currency', filters, { placeholder: 'USD' }),
    choice('horizon_kind', 'Horizon in', ['trading_days', 'holding_seconds'], filters),
    text('horizon_value', 'Horizon', filters, { inputmode: 'numeric' }),
  ];
  const retroactive = checkField(
    { name: 'include_retroactive', label: 'Include retroactive decisions' },
    filters.include_retroactive === 'true',
  );
  return form({
    fields: [...fields, retroactive],
    action: 'Count',
    class: 'filters',
    async send() {
      const chosen = Object.fromEntries(
        fields.flatMap((field) => (textOf(field) ? [[field.name, textOf(field)]] : [])),
      );
      const address = cohortAddress({ ...chosen, ...(isChecked(retroactive) ? { include_retroactive: 'true' } : {}) });
      if (address === location.hash) again();
      else goTo(address);
    },
  });
}

type Name = keyof CohortFilters;

function text(name: Name, label: string, filters: CohortFilters, more: Readonly<Record<string, string>>): Field {
  return textField({ name, label }, { value: filters[name], autocomplete: 'off', spellcheck: 'false', ...more });
}

function choice(
  name: Name,
  label: string,
  terms: readonly string[],
  filters: CohortFilters,
  none: readonly (readonly [string, string])[] = [['', 'any']],
): Field {
  return choiceField({ name, label }, [...none, ...terms.map((term) => [term, plain(term)] as const)], filters[name]);
}
