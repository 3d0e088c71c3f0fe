import { ask } from '../kit/ask.ts';
import { type Child, h } from '../kit/elements.ts';
import type { Visit } from '../kit/forms.ts';
import { type ListPage, listView, readAgentNames } from '../kit/lists.ts';
import type { Schemas } from '../kit/schemas.ts';
import { instant } from '../kit/value-texts.ts';
import { questionWords } from './plan-question.ts';
import { PLANS, showPlan } from './plan-view.ts';

const ABOUT = 'Questions that your agents stated before they asked them, each in the evidence log.';

/** A plan with the name of its agent, or with its id. */
interface NamedPlan extends Plan {
  readonly agent: string;
}

type Plan = Schemas['ListedPlan'];

/** What the agents of the owner stated before they asked it, or one of these plans. */
export function show(view: HTMLElement, visit: Visit): Promise<string> {
  return visit.rest === '' ? showPlans(view, visit) : showPlan(view, visit);
}

const showPlans = listView<NamedPlan>(({ signal }) => ({
  title: 'Plans',
  about: h('p', { class: 'lead' }, ABOUT),
  path: PLANS,
  what: 'your plans',
  none: h('p', {}, 'No agent of yours has stated a plan. ', h('a', { href: GUIDE }, 'How an agent states one'), '.'),
  more: 'Show older plans',
  async read(address) {
    const [page, agents] = await Promise.all([ask<ListPage<Plan>>(address, { signal }), readAgentNames(signal)]);
    const nameOf = (id: string) => agents.find(({ agent_id }) => agent_id === id)?.name ?? id;
    return { ...page, items: page.items.map((plan) => ({ ...plan, agent: nameOf(plan.agent_id) })) };
  },
  columns: [
    { title: 'What was expected', cell: ({ plan_id, sentence }) => h('a', { href: `#/plans/${plan_id}` }, sentence) },
    {
      title: 'Question',
      cell: ({ query, asked_before }) => [
        questionWords(query),
        asked_before && about('your account had asked it before'),
      ],
    },
    { title: 'Stated', cell: ({ stated_at, agent }) => [instant(stated_at), about(agent)] },
    { title: 'Log leaf', kind: 'number', cell: ({ log_index }) => log_index?.toLocaleString('en-GB') ?? 'not yet' },
  ],
}));

const GUIDE = '/guide/cohorts#state-a-question-before-you-ask-it';

function about(words: string): Child {
  return h('span', { class: 'about' }, words);
}
