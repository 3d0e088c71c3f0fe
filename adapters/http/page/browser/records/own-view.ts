import { ask } from '../kit/ask.ts';
import { button, fill, h } from '../kit/elements.ts';
import { refusedState, showReading } from '../kit/states.ts';
import { plain } from '../kit/value-texts.ts';
import type { Visit } from '../kit/visit.ts';
import type { OwnRow } from '../kit/wire.ts';
import { recordLink } from './related-records.ts';

const TITLE = 'Your records';
const PATH = '/api/v1/owner/decisions?limit=50';

interface OwnPage {
  readonly items: readonly OwnRow[];
  readonly next_cursor: string | null;
}

/** The records of the owner who is signed in, the newest first. */
export async function show(view: HTMLElement, { signal }: Visit): Promise<string> {
  const box = h('div');
  fill(view, h('h1', { tabindex: -1 }, TITLE), box);
  await showReading(box, signal, {
    what: 'your records',
    read: () => ask<OwnPage>(PATH, { signal }),
    show: (page) => (page.items.length === 0 ? [] : listed(page, signal)),
    none: 'Your agents have not submitted a decision yet. The README shows how to submit a first one.',
  });
  return TITLE;
}

function listed({ items, next_cursor }: OwnPage, signal: AbortSignal): readonly HTMLElement[] {
  const list = h('ul', { class: 'records' }, ...items.map(rowOf));
  const more = h('div', { class: 'more' });
  const offer = (cursor: string | null) =>
    fill(more, cursor !== null && button('Show older records', () => append(cursor)));
  const append = async (cursor: string): Promise<void> => {
    try {
      const next = await ask<OwnPage>(`${PATH}&cursor=${encodeURIComponent(cursor)}`, { signal });
      list.append(...next.items.map(rowOf));
      offer(next.next_cursor);
    } catch (error) {
      const retry = () => append(cursor);
      if (!signal.aborted) fill(more, refusedState(error, 'Could not read older records.', { retry, signal }));
    }
  };
  offer(next_cursor);
  return [list, more];
}

function rowOf(row: OwnRow): HTMLElement {
  return h('li', {}, recordLink(row), h('span', { class: 'about' }, row.result_bucket ?? plain(row.lifecycle_state)));
}
