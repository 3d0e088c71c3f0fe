import { ask } from './ask.ts';
import { renewed } from './dialogs.ts';
import { button, type Child, fill, h } from './elements.ts';
import { type Field, textOf, type ViewModule, type Visit } from './forms.ts';
import { refusedState } from './refused-state.ts';
import { sessionHint } from './session-hint.ts';
import { showReading } from './states.ts';
import { columnsOf, rowOf, type TableContent, table } from './tables.ts';

/** A list as it is described: where it is read, how a row is shown, and what can be done with one. */
export interface List<Row> extends Omit<TableContent<Row>, 'rows'> {
  /** What is listed, in words that fit into a sentence: `your keys`. */
  readonly what: string;
  readonly path: string;
  /** Parameters of the path; those that are empty are not sent. */
  query?(): Readonly<Record<string, string>>;
  /** Reads a page, where a row needs more than the reply of its address. */
  read?(address: string): Promise<ListPage<Row>>;
  /** What is shown if there is nothing: why, and what to do. */
  readonly none: Child;
  /** Of the button that adds the next page, such as `Show older events`. */
  readonly more?: string;
  /** What follows the table. */
  below?(rows: readonly Row[]): readonly Child[];
}

export interface ListPage<Row> {
  readonly items: readonly Row[];
  readonly next_cursor: string | null;
}

/** Returns the function that reads a list and shows it. After an action that changes it, it is read again. */
export function listIn<Row>(box: HTMLElement, signal: AbortSignal, list: List<Row>): () => Promise<unknown> {
  const read = () => {
    const query = list.query?.() ?? {};
    const page = (cursor = '') => {
      const address = withParameters(list.path, { ...query, cursor });
      return list.read ? list.read(address) : ask<ListPage<Row>>(address, { signal });
    };
    return showReading(box, signal, {
      what: list.what,
      read: () => page(),
      show: (first) => (first.items.length === 0 ? [] : shown(list, first, { next: page, signal, changed })),
      none: list.none,
    });
  };
  const changed = () => renewed(box, read);
  return read;
}

function withParameters(path: string, parameters: Readonly<Record<string, string>>): string {
  const set = new URLSearchParams(Object.entries(parameters).filter(([, value]) => value !== ''));
  return set.size === 0 ? path : `${path}?${set}`;
}

interface Paging<Row> {
  next(cursor: string): Promise<ListPage<Row>>;
  changed(): Promise<unknown>;
  readonly signal: AbortSignal;
}

/** The first page, with a button that appends the next one. */
function shown<Row>(list: List<Row>, first: ListPage<Row>, { next, signal, changed }: Paging<Row>): readonly Child[] {
  const rows = table({ ...list, rows: first.items }, changed);
  const foot = h('div', { class: 'more' });
  const offer = (cursor: string | null) => {
    fill(foot, cursor !== null && button(list.more ?? 'Show more', () => append(cursor)));
  };
  const append = async (cursor: string, attempt = 0): Promise<void> => {
    try {
      const { items, next_cursor } = await next(cursor);
      const added = items.map((row) => rowOf(columnsOf(list, changed), row));
      rows.querySelector('tbody')?.append(...added);
      offer(next_cursor);
      // A reader who is at something else by now stays there.
      if (added[0] && (attempt === 0 || document.activeElement === document.body)) focusRow(added[0]);
    } catch (error) {
      const retry = (again: number) => append(cursor, again);
      if (!signal.aborted) fill(foot, refusedState(error, 'Could not read more.', { retry, attempt, signal }));
    }
  };
  offer(first.next_cursor);
  return [rows, foot, ...(list.below?.(first.items) ?? [])];
}

/** The button that was pressed is gone or means another page: the reader goes on at the first new row. */
function focusRow(row: HTMLElement): void {
  row.setAttribute('tabindex', '-1');
  row.focus({ preventScroll: true });
}

/** A view that is one list. */
interface ListView<Row> extends Omit<List<Row>, 'caption' | 'isCaptionHidden'> {
  readonly title: string;
  /** Shown above the table; otherwise the title names it to screen readers. */
  readonly caption?: string;
  readonly about?: Child;
  /** Fields named as the parameters of the path; their values are those of the address. */
  readonly filters?: readonly Field[];
  /** What follows the list. @param read reads it again */
  after?(read: () => Promise<unknown>): Child;
}

/** The view of a list. @param describe its description, for one visit */
export function listView<Row>(describe: (visit: Visit) => ListView<Row>): ViewModule['show'] {
  return async (view, visit) => {
    const list = describe(visit);
    const { title, about, caption = title, filters, after } = list;
    const box = h('div');
    const query = () => Object.fromEntries(visit.query);
    const isCaptionHidden = list.caption === undefined;
    const read = listIn(box, visit.signal, { query, ...list, caption, isCaptionHidden });
    fill(
      view,
      h('h1', { tabindex: -1 }, title),
      about,
      filters && filterForm(location.hash.replace(/\?.*/, ''), visit.query, filters),
      box,
      after?.(read),
    );
    await read();
    return title;
  };
}

/** Fields with the values of the address; sending them shows the address with what is set. */
export function filterForm(address: string, query: URLSearchParams, fields: readonly Field[]): HTMLElement {
  for (const { control, name } of fields) control.value = query.get(name) ?? control.value;
  const form = h(
    'form',
    { class: 'filters', role: 'search' },
    ...fields.map(({ element }) => element),
    h('div', { class: 'buttons' }, h('button', { type: 'submit' }, 'Show'), h('a', { href: address }, 'Clear')),
  );
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    location.hash = withParameters(
      address,
      Object.fromEntries(fields.map((field) => [field.name, textOf(field) ?? ''])),
    );
  });
  return form;
}

/** An agent of the owner, as far as a list names it. */
export interface NamedAgent {
  readonly agent_id: string;
  readonly name: string;
}

/** The names that were read last, by whom, and when. */
let readNames: { readonly session: string | null; readonly at: number; readonly names: readonly NamedAgent[] } | null =
  null;

/** A new agent has its name in the views of a minute later at the latest. */
const NAMES_STAY = 60_000;

/** Also of archived ones. Their names are no reason to show no list: without them it shows ids. */
export async function readAgentNames(signal: AbortSignal): Promise<readonly NamedAgent[]> {
  const [session, at] = [sessionHint(), Date.now()];
  if (readNames?.session === session && at - readNames.at < NAMES_STAY) return readNames.names;
  const path = '/api/v1/owner/agents?include_archived=true&limit=100';
  const page = await ask<{ readonly items: readonly NamedAgent[] }>(path, { signal }).catch(() => null);
  if (page !== null) readNames = { session, at, names: page.items };
  return page?.items ?? [];
}
