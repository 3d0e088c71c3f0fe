import { ask } from '../kit/ask.ts';
import { type Child, factList, fill, h } from '../kit/elements.ts';
import type { Visit } from '../kit/forms.ts';
import { proofParts } from '../kit/proof-files.ts';
import type { Schemas } from '../kit/schemas.ts';
import { showReading } from '../kit/states.ts';
import { instant } from '../kit/value-texts.ts';
import { cohortOf, questionWords, requestOf } from './plan-question.ts';

type Plan = Schemas['StatedPlan'];

/** A session reads those of all agents of the owner. */
export const PLANS = '/api/v1/agent/plans';

const TITLE = 'A plan';

/** One plan: what was expected of which question, where the log has it, and its receipt. */
export async function showPlan(view: HTMLElement, { rest, signal }: Visit): Promise<string> {
  const box = h('div');
  const crumbs = h('p', { class: 'crumbs' }, h('a', { href: '#/plans' }, 'Plans'), ' / ', h('span', {}, rest));
  fill(view, crumbs, h('h1', { tabindex: -1 }, TITLE), box);
  const path = `${PLANS}/${encodeURIComponent(rest)}`;
  await showReading(box, signal, {
    what: 'the plan',
    read: () => ask<Plan>(path, { signal }),
    show: (plan) => [
      h('p', { class: 'lead' }, `\u201c${plan.sentence}\u201d`),
      h('div', { class: 'facts' }, facts(plan)),
      cohortLine(plan),
      proofOf(plan, path, signal),
      identifiers(plan),
    ],
  });
  return TITLE;
}

function facts({ query, stated_at, asked_before, log_index }: Plan): HTMLElement {
  return factList([
    ['Question', questionWords(query)],
    ['Stated', instant(stated_at)],
    ['Asked before', asked_before ? ASKED_BEFORE : 'Not with this account, when it was stated.'],
    ['Log leaf', log_index === null ? 'not yet' : log_index.toLocaleString('en-GB')],
  ]);
}

const ASKED_BEFORE = 'Your account had asked this question before it stated the plan, which the log commits to.';

function cohortLine({ query }: Plan): HTMLElement {
  const address = cohortOf(query);
  if (address !== null) return h('p', {}, h('a', { href: address }, 'Count exactly this cohort'), UNCOUNTED);
  return h('p', {}, 'Only agents can ask exactly this: ', h('code', {}, requestOf(query)));
}

const UNCOUNTED = '. Counts that you read on this page are not among the questions of your account.';

function proofOf({ log_index, receipt }: Plan, path: string, signal: AbortSignal): Child {
  if (receipt === null) return h('p', { class: 'soft' }, 'This service has no evidence log, so there is no receipt.');
  if (log_index === null) {
    const by = instant(receipt.included_by);
    return h('p', { class: 'notice' }, `The log has the plan by ${by} at the latest; then its receipt is here.`);
  }
  return proofParts({
    about: ABOUT_PROOF,
    files: [
      {
        name: 'plan-receipt',
        words: 'the receipt, with question and sentence: who has it can show the plan',
        path: `${path}/receipt`,
      },
      {
        name: 'plan-receipt-full',
        words: 'the receipt with the ids of your account and agent, which proves who stated it',
        path: `${path}/receipt?opening=full`,
      },
    ],
    signal,
  }).section;
}

const ABOUT_PROOF =
  'The evidence log contains a digest of this plan. Nobody learns what it says until you show a receipt. Verified here, the files fit together; that nobody rewrote the log is shown only by a policy from somebody else, and offline.';

function identifiers({ plan_id, leaf, salt, statement }: Plan): HTMLElement {
  return h(
    'details',
    { class: 'origins' },
    h('summary', {}, 'Identifiers'),
    factList([
      ['Plan', plan_id],
      ['Leaf', leaf],
      ['Salt', salt],
      ['Statement', statement],
    ]),
  );
}
