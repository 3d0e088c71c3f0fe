import { ask } from '../kit/ask.ts';
import { openDialog } from '../kit/dialogs.ts';
import { button, fill, h } from '../kit/elements.ts';
import { areaField, type Field, form, textOf, type Visit } from '../kit/forms.ts';
import { showReading } from '../kit/states.ts';
import { type Column, pagedTable, type WirePage } from '../kit/tables.ts';

interface FilteredList<Row> {
  readonly title: string;
  /** The name of the view in its address. */
  readonly view: string;
  readonly path: string;
  /** What is listed, as it stands in a sentence: `the accounts`. */
  readonly what: string;
  readonly more: string;
  readonly none: string;
  readonly columns: readonly Column<Row>[];
  /** Named as the parameters of the path; each is shown with its value in the address. */
  readonly filters: readonly Field[];
}

/** A list of operators with filters, which are part of the address. Returns a function that reads it again. */
export async function showFilteredList<Row>(
  view: HTMLElement,
  { query, signal }: Visit,
  list: FilteredList<Row>,
): Promise<() => Promise<unknown>> {
  const box = h('div');
  for (const { control, name } of list.filters) control.value = query.get(name) ?? '';
  const filters = form({
    fields: list.filters,
    action: 'Filter',
    class: 'operator-filters',
    async send() {
      const sent = new URLSearchParams();
      for (const field of list.filters) {
        const value = textOf(field);
        if (value !== undefined) sent.set(field.name, value);
      }
      location.hash = `#/${list.view}${sent.size > 0 ? `?${sent}` : ''}`;
    },
  });
  fill(view, h('h1', { tabindex: -1 }, list.title), list.filters.length > 0 && filters, box);
  const read = (cursor?: string) => {
    const parameters = new URLSearchParams(query);
    if (cursor !== undefined) parameters.set('cursor', cursor);
    return ask<WirePage<Row>>(`${list.path}?${parameters}`, { signal });
  };
  const again = () =>
    showReading(box, signal, {
      what: list.what,
      read: () => read(),
      show: (first) =>
        first.items.length === 0
          ? []
          : [
              ...pagedTable({
                caption: list.title,
                isCaptionHidden: true,
                columns: list.columns,
                first,
                next: read,
                more: list.more,
                signal,
              }),
            ],
      none: list.none,
    });
  await again();
  return again;
}

interface Reasoned {
  readonly title: string;
  /** What happens. */
  readonly words: string;
  /** The button, as a verb. */
  readonly action: string;
  /** Who sees the reason. */
  readonly hint: string;
  send(reason: string): Promise<unknown>;
}

/** Asks for a reason, and does it; false if the operator does not want to. */
export async function reasonDialog({ title, words, action, hint, send }: Reasoned): Promise<boolean> {
  const reason = areaField({ name: 'reason', label: 'Reason', hint }, { required: true, autofocus: true });
  const isDone = await openDialog<true>(title, (close) => [
    h('p', {}, words),
    form({
      fields: [reason],
      action,
      extra: [button('Cancel', () => close(null))],
      async send() {
        await send(reason.control.value);
        close(true);
      },
    }),
  ]);
  return isDone === true;
}
