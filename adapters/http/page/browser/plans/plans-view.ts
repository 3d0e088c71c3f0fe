import { type NamedAgent, readAgentNames } from '../kit/agent-names.ts';
import { ask } from '../kit/ask.ts';
import { type Child, fill, h } from '../kit/elements.ts';
import type { Visit } from '../kit/forms.ts';
import type { Schemas } from '../kit/schemas.ts';
import { showReading } from '../kit/states.ts';
import { pagedTable, type WirePage } from '../kit/tables.ts';
import { instant } from '../kit/value-texts.ts';
import { questionWords } from './plan-question.ts';
import { PLANS, showPlan } from './plan-view.ts';

type Plan = Schemas['ListedPlan'];

const TITLE = 'Plans';

/** What the agents of the owner stated before they asked it, or one of these plans. */
export async function show(view: HTMLElement, visit: Visit): Promise<string> {
  if (visit.rest !== '') return showPlan(view, visit);
  const box = h('div', { class: 'plans' });
  fill(view, h('h1', { tabindex: -1 }, TITLE), h('p', { class: 'lead' }, ABOUT), box);
  await showList(box, visit.signal);
  return TITLE;
}

const ABOUT =
  'Questions that your agents stated before they asked them. Each goes to the evidence log, so that others can check that it was there first.';

async function showList(box: HTMLElement, signal: AbortSignal): Promise<void> {
  const read = (cursor?: string) => {
    const query = cursor === undefined ? '' : `?${new URLSearchParams({ cursor })}`;
    return ask<WirePage<Plan>>(`${PLANS}${query}`, { signal });
  };
  await showReading(box, signal, {
    what: 'your plans',
    read: () => Promise.all([read(), readAgentNames(signal)]),
    show: ([first, agents]) => (first.items.length === 0 ? [] : planTable(first, read, agents, signal)),
    none: noPlan(),
  });
}

function noPlan(): HTMLElement {
  const guide = h('a', { href: '/guide/cohorts#state-a-question-before-you-ask-it' }, 'How an agent states one');
  return h('p', {}, 'No agent of yours has stated a plan. ', guide, '.');
}

function planTable(
  first: WirePage<Plan>,
  next: (cursor: string) => Promise<WirePage<Plan>>,
  agents: readonly NamedAgent[],
  signal: AbortSignal,
): readonly HTMLElement[] {
  return pagedTable<Plan>({
    caption: 'The plans of all your agents, the newest first',
    isCaptionHidden: true,
    first,
    next,
    more: 'Show older plans',
    signal,
    columns: [
      { title: 'What was expected', cell: ({ plan_id, sentence }) => h('a', { href: `#/plans/${plan_id}` }, sentence) },
      { title: 'Question', cell: ({ query, asked_before }) => [questionWords(query), asked_before && askedBefore()] },
      { title: 'Stated', cell: (plan) => [instant(plan.stated_at), about(nameOf(plan, agents))] },
      { title: 'Log leaf', kind: 'number', cell: ({ log_index }) => leafWords(log_index) },
    ],
  });
}

function nameOf({ agent_id }: Plan, agents: readonly NamedAgent[]): string {
  return agents.find((agent) => agent.agent_id === agent_id)?.name ?? agent_id;
}

function askedBefore(): HTMLElement {
  return about('your account had asked it before');
}

function leafWords(index: number | null): Child {
  return index === null ? 'not yet' : index.toLocaleString('en-GB');
}

function about(words: string): HTMLElement {
  return h('span', { class: 'about' }, words);
}
