import { fill, h } from '../../kit/elements.ts';
import type { Visit } from '../../kit/visit.ts';
import { showFactors } from './factors.ts';
import { showEvents } from './security-events.ts';
import { showSessions } from './sessions.ts';

const TITLE = 'Security';

/** The second factors, the open sessions, and what happened to the account. */
export async function show(view: HTMLElement, visit: Visit): Promise<string> {
  const [factors, sessions, events] = [h('div'), h('div'), h('div')];
  fill(
    view,
    h('h1', { tabindex: -1 }, TITLE),
    h('section', { 'aria-labelledby': 'factors' }, h('h2', { id: 'factors' }, 'Second factor'), factors),
    h('section', { 'aria-labelledby': 'sessions' }, h('h2', { id: 'sessions' }, 'Sessions'), sessions),
    h('section', { 'aria-labelledby': 'events' }, h('h2', { id: 'events' }, 'Security events'), events),
  );
  await Promise.all([showFactors(factors, visit.signal), showSessions(sessions, visit), showEvents(events, visit)]);
  return TITLE;
}
