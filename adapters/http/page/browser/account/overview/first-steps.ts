import { ask } from '../../kit/ask.ts';
import { type Child, fill, h } from '../../kit/elements.ts';
import { readIdentity } from '../../kit/identity.ts';
import { followDecisions } from '../../kit/live-list.ts';
import type { Schemas } from '../../kit/schemas.ts';
import { newKey } from '../new-key.ts';
import { decisionParts, gradeParts, isVerified, keyParts, receiptParts } from './first-step-parts.ts';

/** With more decisions the steps are not shown. */
const MOST_DECISIONS = 1;

/** What the steps are judged by. */
interface Progress {
  readonly email: string | null;
  readonly keys: number;
  readonly record: Schemas['OwnerDecisionSummary'] | null;
  readonly factors: number;
}

/**
 * The way of a new owner to a decision that is graded and verified, followed as it happens: each step has one button or
 * one line. Returns whether the owner has a decision. Nothing is shown to owners with several.
 */
export async function showFirstSteps(
  box: HTMLElement,
  signal: AbortSignal,
  counts: () => Promise<Schemas['Dashboard']>,
): Promise<boolean> {
  const dashboard = await counts().catch(() => null);
  // What cannot be read is said by the parts below.
  if (dashboard === null) return true;
  const decisions = Object.values(dashboard.decisions.by_state).reduce((sum, count) => sum + count, 0);
  if (decisions > MOST_DECISIONS) return true;
  const update: () => Promise<unknown> = async () => {
    const progress = await readProgress(signal);
    for (const step of steps) step.update(progress);
    const finished = steps.filter(({ element }) => element.hasAttribute('data-done'));
    fill(done, `${finished.length} of ${steps.length} done`);
  };
  const steps = makeSteps(signal, () => void update().catch(() => undefined));
  const done = h('p', { class: 'soft', role: 'status' });
  const list = h('ol', {}, ...steps.map(({ element }) => element));
  const title = h('h2', { id: 'first-steps-title' }, 'First steps');
  fill(box, h('section', { class: 'first-steps', 'aria-labelledby': 'first-steps-title' }, title, done, list));
  await update().catch(() => undefined);
  followDecisions(signal, update);
  return decisions > 0;
}

async function readProgress(signal: AbortSignal): Promise<Progress> {
  const [{ keys }, factors, identity, page] = await Promise.all([
    ask<Schemas['Dashboard']>('/api/v1/owner/dashboard', { signal }),
    ask<Schemas['FactorList']>('/api/v1/owner/auth/factors', { signal }),
    readIdentity(),
    ask<Schemas['OwnerDecisionPage']>('/api/v1/owner/decisions?include_archived=true&limit=1', { signal }),
  ]);
  return {
    email: identity?.email ?? null,
    keys,
    record: page.items[0] ?? null,
    factors: factors.passkeys.length + (factors.totp === null ? 0 : 1),
  };
}

interface Step {
  readonly element: HTMLElement;
  update(progress: Progress): void;
}

interface StepContent {
  readonly title: string;
  isDone(progress: Progress): boolean;
  /** What its content depends on: it is made anew only where this changes, so that nothing moves under the reader. */
  key(progress: Progress): unknown;
  content(progress: Progress): readonly Child[];
}

function step({ title, isDone, key, content }: StepContent): Step {
  const [state, body] = [h('span', { class: 'hidden' }), h('div', {})];
  const element = h('li', {}, h('h3', {}, title, state), body);
  let shown: string | null = null;
  return {
    element,
    update(progress) {
      const done = isDone(progress);
      element.toggleAttribute('data-done', done);
      fill(state, done ? ', done' : ', to do');
      const now = JSON.stringify(key(progress));
      if (now === shown) return;
      shown = now;
      fill(body, ...content(progress));
    },
  };
}

/** @param changed something was done that the steps show */
function makeSteps(signal: AbortSignal, changed: () => void): readonly Step[] {
  return [
    step({
      title: 'Account',
      isDone: () => true,
      key: ({ email }) => email,
      content: ({ email }) => [h('p', {}, email ?? 'It is open.')],
    }),
    step({
      title: 'Agent and key',
      isDone: ({ keys }) => keys > 0,
      key: ({ keys }) => [keys > 0, newKey()],
      content: ({ keys }) => keyParts(keys, newKey(), changed),
    }),
    step({
      title: 'First decision',
      isDone: ({ record }) => record !== null,
      key: ({ record }) => [record?.record_id, newKey()],
      content: ({ record }) => decisionParts(record, newKey(), signal, changed),
    }),
    step({
      title: 'Its grade',
      isDone: ({ record }) => record !== null && record.result_bucket !== null,
      key: ({ record }) => [record?.record_id, record?.lifecycle_state, record?.evaluation.last_error],
      content: ({ record }) => gradeParts(record),
    }),
    step({
      title: 'Its receipt, verified here',
      isDone: ({ record }) => isVerified(record),
      key: ({ record }) => [record?.record_id, record?.result_bucket],
      content: ({ record }) => receiptParts(record, signal, changed),
    }),
    step({
      title: 'A second factor',
      isDone: ({ factors }) => factors > 0,
      key: ({ factors }) => factors,
      content: ({ factors }) => [
        factors > 0
          ? h('p', {}, 'A password alone does not open the account.')
          : h('a', { class: 'button', href: '#/security' }, 'Add a passkey or an app'),
      ],
    }),
  ];
}
