import { ask } from '../kit/ask.ts';
import { fill, h } from '../kit/elements.ts';
import { readIdentity } from '../kit/identity.ts';
import { type ListPage, readAgentNames } from '../kit/lists.ts';
import { isSignedIn } from '../kit/session-hint.ts';
import { day, horizon, instrument } from '../kit/value-texts.ts';
import type { OwnRow } from '../kit/wire.ts';
import { listAddress, listPath } from '../records/decision-query.ts';
import { follow } from '../shell/arrival.ts';
import { VIEWS } from '../shell/views.ts';
import { FIXED, foundItems, type PaletteItem } from './palette-items.ts';

const NEWEST = 100;

let current: HTMLDialogElement | undefined;

/** Opens the search over the page, or closes it. */
export function togglePalette(): void {
  if (current) {
    current.close();
    return;
  }
  const reading = new AbortController();
  let items: readonly PaletteItem[] = [...viewItems('owner'), ...FIXED];
  let chosen = 0;
  const field = h('input', {
    ...{ type: 'text', role: 'combobox', 'aria-expanded': 'true', 'aria-controls': 'palette-list' },
    ...{ 'aria-autocomplete': 'list', 'aria-label': 'Search or jump to', placeholder: 'Search or jump to\u2026' },
    ...{ autocomplete: 'off', spellcheck: 'false' },
  });
  const list = h('ul', { id: 'palette-list', role: 'listbox', 'aria-label': 'Found' });
  const choose = (at: number) => {
    const options = [...list.querySelectorAll('[role=option]')];
    chosen = (at + options.length) % Math.max(1, options.length);
    for (const [i, option] of options.entries()) option.ariaSelected = String(i === chosen);
    field.setAttribute('aria-activedescendant', `palette-${chosen}`);
    options[chosen]?.scrollIntoView({ block: 'nearest' });
  };
  const show = () => {
    fill(list, ...foundItems(field.value, items).map(optionOf));
    choose(0);
  };
  const dialog = h('dialog', { class: 'palette', 'aria-label': 'Search' }, field, list);
  const go = (option: Element | null | undefined) => {
    const href = hrefOf(option);
    if (!href) return;
    dialog.close();
    follow();
    location.assign(href);
  };
  field.addEventListener('input', show);
  field.addEventListener('keydown', (event) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if ((by === undefined && event.key !== 'Enter') || event.isComposing) return;
    event.preventDefault();
    if (by === undefined) go(list.children[chosen]);
    else choose(chosen + by);
  });
  list.addEventListener('click', ({ target }) =>
    go(target instanceof Element ? target.closest('[role=option]') : null),
  );
  dialog.addEventListener('click', ({ target }) => target === dialog && dialog.close());
  dialog.addEventListener('close', () => {
    reading.abort();
    dialog.remove();
    current = undefined;
  });
  current = dialog;
  document.body.append(dialog);
  show();
  dialog.showModal();
  field.focus();
  void readItems(reading.signal).then((read) => {
    if (reading.signal.aborted) return;
    items = [...items, ...read];
    const before = hrefOf(list.children[chosen]);
    show();
    choose(
      Math.max(
        0,
        [...list.children].findIndex((option) => hrefOf(option) === before),
      ),
    );
  });
}

function hrefOf(option: Element | null | undefined): string | null {
  return option?.getAttribute('data-href') ?? null;
}

function optionOf({ words, kind, href }: PaletteItem, at: number): HTMLElement {
  return h(
    'li',
    { role: 'option', id: `palette-${at}`, 'data-href': href },
    h('span', {}, words),
    h('span', { class: 'soft' }, kind),
  );
}

function viewItems(audience: 'owner' | 'admin'): readonly PaletteItem[] {
  return Object.entries(VIEWS).flatMap(([name, view]) =>
    view.label && view.audience === audience ? [{ words: view.label, kind: 'view', href: `#/${name}` }] : [],
  );
}

/** What is the reader's own; nothing of what cannot be read. */
async function readItems(signal: AbortSignal): Promise<readonly PaletteItem[]> {
  if (!isSignedIn()) return [];
  const none = { items: [] };
  const [agents, identity, { items: rows }, { items: workflows }] = await Promise.all([
    readAgentNames(signal),
    readIdentity(),
    ask<ListPage<OwnRow>>(listPath({}, null, NEWEST), { signal }).catch(() => none),
    ask<{ readonly items: readonly Workflow[] }>('/api/v1/owner/workflows', { signal }).catch(() => none),
  ]);
  const symbols = new Set(rows.map(({ symbol }) => symbol));
  return [
    ...(identity?.role === 'admin' ? viewItems('admin') : []),
    ...agents.flatMap(({ agent_id, name }) => [
      { words: `${name}: track record`, kind: 'agent', href: `#/track/${agent_id}`, also: agent_id },
      { words: `${name}: decisions`, kind: 'agent', href: listAddress({ agent_id }), also: agent_id },
    ]),
    ...[...symbols].map((symbol) => ({
      ...{ words: `Your decisions on ${symbol}`, kind: 'instrument', href: listAddress({ symbol }) },
    })),
    ...workflows.map(({ workflow_id, name }) => ({
      words: name,
      kind: 'workflow',
      href: `#/workflows/${workflow_id}`,
    })),
    ...rows.map((row) => ({
      words: `${instrument(row)} ${row.direction} over ${horizon(row)}, ${day(row.data_cutoff)}`,
      kind: 'decision',
      href: `#/records/${row.record_id}`,
      also: `${row.record_id} ${row.venue}`,
    })),
  ];
}

interface Workflow {
  readonly workflow_id: string;
  readonly name: string;
}
