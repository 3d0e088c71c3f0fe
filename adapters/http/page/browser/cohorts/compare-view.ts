import type { TrackCounts } from '../agents/track-parts.ts';
import { originOf, recordPath } from '../agents/track-query.ts';
import { type AgentMonths, windowMonths } from '../agents/window-months.ts';
import { ask } from '../kit/ask.ts';
import { DIRECTIONS } from '../kit/domain.ts';
import { type Child, fill, h } from '../kit/elements.ts';
import { choiceField, form, textField, textOf, type Visit } from '../kit/forms.ts';
import { type NamedAgent, readAgentNames } from '../kit/lists.ts';
import type { Schemas } from '../kit/schemas.ts';
import { showReading } from '../kit/states.ts';
import { goTo } from '../shell/arrival.ts';
import { cohortPath } from './cohort-query.ts';
import { agentPart, type ComparedAgent, cohortPart } from './compare-parts.ts';
import {
  agentFilters,
  COHORT,
  type Comparison,
  cohortOf,
  compareAddress,
  HORIZONS,
  isWhole,
  questionOf,
} from './compare-query.ts';

const TITLE = 'Compare';

interface Found {
  /** As it was asked, with what it leaves to the page. */
  readonly question: Comparison & { readonly origin: 'realtime' | 'retroactive' };
  /** `stock:MSFT`, those with the most decisions first. */
  readonly instruments: readonly string[];
  readonly agents: readonly ComparedAgent[];
  /** Null without one in the question. */
  readonly cohort: Schemas['PublicCohort'] | null;
  /** Of all graded decisions of each agent; none where the question is narrower. */
  readonly months: readonly AgentMonths[];
}

/** How decisions of an agent came out, alone, next to another agent, or next to the cohort of the same filters. */
export async function show(view: HTMLElement, { query, signal, again }: Visit): Promise<string> {
  const [fields, box] = [h('div'), h('div')];
  fill(view, h('h1', { tabindex: -1 }, TITLE), h('p', { class: 'lead' }, ABOUT), fields, box);
  const agents = await readAgentNames(signal);
  const asked = questionOf(query, agents[0]?.agent_id ?? '');
  // Before the counts, so that a question that is refused can be changed.
  if (asked.a !== '') fill(fields, questionForm({ question: asked, instruments: [] }, agents, again));
  await showReading(box, signal, {
    what: 'the counts',
    read: async () => (asked.a === '' ? null : readAll(asked, agents, signal)),
    show(found) {
      if (found === null) return [];
      fill(fields, questionForm(found, agents, again));
      return shown(found);
    },
    none: 'You have no agent yet. An agent is made with its first API key.',
  });
  return TITLE;
}

const ABOUT =
  'How decisions of an agent came out, and how sure it said it was. Only you see these shares: they are of what the agent chose to state, and are no odds of the next decision.';

async function readAll(asked: Comparison, agents: readonly NamedAgent[], signal: AbortSignal): Promise<Found> {
  const nameOf = (id: string) => agents.find(({ agent_id }) => agent_id === id)?.name ?? id;
  const read = (id: string, question: Comparison) =>
    ask<ComparedAgent['record']>(recordPath(id, agentFilters(question)), { signal });
  const whole = await read(asked.a, { ...asked, instrument: '', direction: '', horizon: '' });
  const instruments = instrumentsOf([...whole.by_symbol, ...whole.retroactive.by_symbol]);
  const usual = asked.b === COHORT ? (instruments[0] ?? '') : '';
  const question = { ...asked, instrument: asked.instrument || usual };
  const ids = [...new Set([question.a, question.b])].filter((id) => id !== '' && id !== COHORT);
  const compared = await Promise.all(
    ids.map(async (agent_id) => ({
      agent_id,
      name: nameOf(agent_id),
      record: agent_id === question.a && isWhole(question) ? whole : await read(agent_id, question),
    })),
  );
  const graded = Math.max(...compared.map(({ record }) => record.evaluated_count));
  const known = { ...question, origin: originOf({ origin: asked.origin }, graded) };
  const filters = asked.b === COHORT ? cohortOf(known) : null;
  const [cohort, months] = await Promise.all([
    filters && ask<Schemas['PublicCohort']>(cohortPath(filters), { signal }),
    isWhole(known) ? Promise.all(ids.map((id) => monthsOf(id, nameOf(id), signal))) : [],
  ]);
  return { question: known, instruments, agents: compared, cohort, months };
}

function instrumentsOf(counts: TrackCounts['by_symbol']): readonly string[] {
  const sums = new Map<string, number>();
  for (const { market, symbol, submission_count } of counts) {
    const name = `${market}:${symbol}`;
    sums.set(name, (sums.get(name) ?? 0) + submission_count);
  }
  return [...sums].toSorted(([, a], [, b]) => b - a).map(([name]) => name);
}

async function monthsOf(agent_id: string, name: string, signal: AbortSignal): Promise<AgentMonths> {
  const path = `/api/v1/owner/outcomes?${new URLSearchParams({ by: 'month', agent_id })}`;
  const { items } = await ask<Schemas['OwnerOutcomes']>(path, { signal });
  return { agent_id, name, items };
}

const ANY = ['', 'any'] as const;

interface Asked extends Pick<Found, 'instruments'> {
  readonly question: Comparison;
}

function questionForm({ question, instruments }: Asked, agents: readonly NamedAgent[], again: () => void) {
  const { a, b, instrument, direction, horizon, origin } = question;
  const named = agents.map(({ agent_id, name }) => [agent_id, name] as const);
  const offered = [...new Set([...instruments, ...(instrument ? [instrument] : [])])];
  const all = [
    choiceField({ name: 'a', label: 'Agent' }, named, a),
    choiceField({ name: 'b', label: 'Next to' }, [['', 'nothing'], [COHORT, 'the public cohort'], ...named], b),
    choiceField(
      { name: 'instrument', label: 'Instrument' },
      [...(b === COHORT ? [] : [ANY]), ...offered.map((each) => [each, each.split(':').reverse().join(', ')] as const)],
      instrument,
    ),
    choiceField(
      { name: 'direction', label: 'Direction' },
      [ANY, ...DIRECTIONS.map((each) => [each, each] as const)],
      direction,
    ),
    b === COHORT
      ? textField(
          { name: 'horizon', label: 'Horizon, seconds' },
          { value: horizon, inputmode: 'numeric', placeholder: 'any' },
        )
      : choiceField(
          { name: 'horizon', label: 'Horizon' },
          [ANY, ...HORIZONS.map(({ name, value }) => [value, name] as const)],
          horizon,
        ),
    choiceField(
      { name: 'origin', label: 'Stated' },
      [
        ['realtime', 'before the prices were known'],
        ['retroactive', 'after'],
      ],
      origin,
    ),
  ];
  return form({
    fields: all,
    action: 'Show',
    class: 'filters',
    async send() {
      const address = compareAddress(Object.fromEntries(all.map((field) => [field.name, textOf(field) ?? ''])));
      if (address === location.hash) again();
      else goTo(address);
    },
  });
}

function shown({ question, agents, cohort, months }: Found): readonly Child[] {
  const { b, origin, horizon } = question;
  const parts = agents.map((each) => agentPart(each, origin));
  const isAlone = parts.length === 1 && b !== COHORT;
  return [
    horizon !== '' && h('p', { class: 'soft' }, 'A horizon in seconds leaves out those in trading days.'),
    !isAlone && h('p', { class: 'notice' }, b === COHORT ? OF_COHORT : OF_TWO),
    b === COHORT && bothMarkets(agents, origin),
    h('div', { class: 'columns' }, ...parts, b === COHORT && cohortPart(cohort, question)),
    isWhole(question) ? windowMonths(months, origin) : wholeLink(question),
  ];
}

const OF_TWO =
  'The two chose their own instruments and windows, so a difference of their shares is no test of one against the other. Intervals that overlap show no difference.';

const OF_COHORT =
  'Shares and intervals are of your own agent alone; of the cohort there are counts, by the same filters. Other owners chose other windows, so a difference is no test of one against the other.';

/** The filter of a track record is a symbol, which may be that of a share and of a coin. */
function bothMarkets(agents: readonly ComparedAgent[], origin: 'realtime' | 'retroactive'): Child {
  const counts = agents.map(({ record }) => (origin === 'realtime' ? record : record.retroactive));
  const markets = new Set(counts.flatMap(({ by_symbol }) => by_symbol.map(({ market }) => market)));
  return (
    markets.size > 1 && h('p', { class: 'soft' }, 'The agent has this symbol in both markets; the cohort is of one.')
  );
}

function wholeLink({ a, b, origin }: Comparison): HTMLElement {
  const href = compareAddress({ a, b: b === COHORT ? '' : b, origin });
  return h(
    'p',
    { class: 'soft' },
    'Months are counted ',
    h('a', { href }, 'without instrument, direction and horizon'),
    '.',
  );
}
