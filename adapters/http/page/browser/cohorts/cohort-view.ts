import { countedWays, countTable } from '../agents/counts.ts';
import { answerTo } from '../kit/ask.ts';
import { DIRECTIONS } from '../kit/domain.ts';
import { type Child, factList, fill, h, statedVenues } from '../kit/elements.ts';
import { checkField, choiceField, type Field, form, isChecked, textField, textOf, type Visit } from '../kit/forms.ts';
import type { Schemas } from '../kit/schemas.ts';
import { copyLine } from '../kit/secrets.ts';
import { showReading } from '../kit/states.ts';
import { counted, instant, plain } from '../kit/value-texts.ts';
import { goTo } from '../shell/arrival.ts';
import {
  type CohortFilters,
  cohortAddress,
  cohortFilters,
  cohortPath,
  overviewFacts,
  pinned,
  queryWords,
} from './cohort-query.ts';

const TITLE = 'Counts of a cohort';

const NOTHING_COUNTED = 'Nothing is counted yet: press Count for all of the market, or narrow it first.';

/** How the public decisions of a cohort came out, next to what each direction would have got in the same windows. */
export async function show(view: HTMLElement, { query, signal, again }: Visit): Promise<string> {
  const filters = cohortFilters(query);
  const box = h('div');
  fill(
    view,
    h('h1', { tabindex: -1 }, TITLE),
    h(
      'p',
      { class: 'lead' },
      'Raw counts of public, graded decisions. No rate and no ranking: agents choose what they submit, and windows overlap.',
    ),
    cohortForm(filters, again),
    box,
  );
  if (filters.market === undefined) fill(box, h('p', { class: 'soft' }, NOTHING_COUNTED));
  else await showCounts(box, filters, signal);
  return TITLE;
}

async function showCounts(box: HTMLElement, filters: CohortFilters, signal: AbortSignal): Promise<void> {
  await showReading(box, signal, {
    what: 'the counts',
    read: () => answerTo<Schemas['PublicCohort']>(cohortPath(filters), { signal }),
    show: ({ reply: { query, overview }, headers }) => [
      h('h2', {}, queryWords(query)),
      ...(overview.suppression.applied ? withheld(overview) : counts(overview)),
      ...citation(filters, overview.suppression.applied ? null : headers.get('date')),
    ],
  });
}

function withheld({
  suppression: { message, min_producers, min_samples },
}: Schemas['CohortOverview']): readonly Child[] {
  return [
    h('p', { class: 'notice' }, h('b', {}, 'These counts are withheld.'), ` ${message ?? ''}`),
    h(
      'p',
      { class: 'soft' },
      `A cohort is shown from ${counted(min_producers, 'owner')} and ${counted(min_samples, 'decision')} on, so that counts reveal no owner.`,
    ),
  ];
}

function counts(overview: Schemas['CohortOverview']): readonly Child[] {
  const { sample_count, result_distribution, had_said } = overview;
  if (result_distribution === null) return [];
  const caption = `${counted(sample_count ?? 0, 'decision')} by bucket, and what one direction alone would have got in the same windows`;
  return [countTable(caption, countedWays({ result_distribution, had_said })), factList(overviewFacts(overview))];
}

/** An address of the counts up to now, to refer to: the service compares times in minutes. @param date of the reply; null without counts */
function citation(filters: CohortFilters, date: string | null): readonly Child[] {
  const { as_of, ...others } = filters;
  if (as_of !== undefined) {
    const now = h('a', { href: cohortAddress(others) }, 'Count all of now');
    return [h('p', {}, `Only decisions that were graded up to ${instant(as_of)}. `, now, '.')];
  }
  if (date === null) return [];
  const address = cohortAddress(pinned(filters, date));
  return [
    h('h3', {}, 'Refer to these counts'),
    h(
      'p',
      {},
      h('a', { href: address }, 'This link'),
      ' counts what was graded up to the last full minute, so grades that come later do not change it. A quarantine takes its decision out of it.',
    ),
    copyLine(new URL(address, location.href).href, 'Copy the link'),
  ];
}

/** Chooses what is counted; sending it changes the address. */
function cohortForm(filters: CohortFilters, again: () => void): HTMLElement {
  const fields = [
    choice('market', 'Market', ['stock', 'crypto'], filters, []),
    text('symbol', 'Symbol', filters, { placeholder: 'MSFT' }),
    choice('direction', 'Direction', DIRECTIONS, filters),
    text('period', 'Year, month or day', filters, { placeholder: '2003-02' }),
    venueField(filters),
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

/** Suggests the venues of the service; others are accepted too. */
function venueField(filters: CohortFilters): Field {
  const field = text('venue', 'Venue', filters, { placeholder: 'NASDAQ', list: 'venue-names' });
  const names = [...statedVenues().keys()].map((value) => h('option', { value }));
  field.element.append(h('datalist', { id: 'venue-names' }, ...names));
  return field;
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
