import { ask } from '../../kit/ask.ts';
import { fill, h } from '../../kit/elements.ts';
import type { Schemas } from '../../kit/schemas.ts';
import type { Visit } from '../../kit/visit.ts';
import { showSignIns } from '../security/sign-ins.ts';
import { showNotices } from './notices.ts';
import { showDue, showTroubled } from './pending-records.ts';
import { showUsage } from './usage.ts';

const TITLE = 'Overview';

/** What the owner should know now: notices, what is due, what waits or fails and why, quotas, recent sign-ins. */
export async function show(view: HTMLElement, { signal }: Visit): Promise<string> {
  const [notices, due, troubled, usage, signIns] = [h('div'), h('div'), h('div'), h('div'), h('div')];
  fill(
    view,
    h('h1', { tabindex: -1 }, TITLE),
    notices,
    section('due', 'Due this week', due),
    section('troubled', 'Waiting or without prices', troubled),
    section('usage', 'Use of today', usage),
    section('sign-ins', 'Recent sign-ins', signIns),
  );
  const readCounts = shared(() => ask<Schemas['Dashboard']>('/api/v1/owner/dashboard', { signal }));
  await Promise.all([
    showNotices(notices, signal, readCounts),
    showDue(due, signal, readCounts),
    showTroubled(troubled, signal, readCounts),
    showUsage(usage, signal),
    showSignIns(signIns, signal),
  ]);
  return TITLE;
}

function section(id: string, title: string, content: HTMLElement): HTMLElement {
  return h('section', { 'aria-labelledby': id }, h('h2', { id }, title), content);
}

/** One request for all parts that need its reply; after a refusal the next part that asks sends it again. */
function shared<T>(read: () => Promise<T>): () => Promise<T> {
  let current: Promise<T> | undefined;
  return () => {
    current ??= read().catch((error: unknown) => {
      current = undefined;
      throw error;
    });
    return current;
  };
}
