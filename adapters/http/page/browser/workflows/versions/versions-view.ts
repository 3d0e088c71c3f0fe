import { ask } from '../../kit/ask.ts';
import { type Child, factList, fill, h } from '../../kit/elements.ts';
import { choiceField, type Visit } from '../../kit/forms.ts';
import { copyLine } from '../../kit/secrets.ts';
import { showReading } from '../../kit/states.ts';
import { table } from '../../kit/tables.ts';
import { counted, countFacts, instant } from '../../kit/value-texts.ts';
import { workflowPath } from '../editor/save-draft.ts';
import { pageLinks, withDefaults } from '../list-view.ts';
import type { NumberedList, WirePublication, WireSnapshot, WireUsage, WireWorkflow } from '../wire-workflows.ts';
import { differenceList } from './difference-list.ts';
import { type Compared, differenceOf } from './snapshot-difference.ts';

const DRAFT = 'draft';

const snapshots = new Map<string, WireSnapshot>();

const TITLE = 'Versions and use';

/** What was published of a workflow, what differs between two versions, and how they were used. */
export async function showVersions(view: HTMLElement, { query, signal, rename }: Visit, id: string): Promise<string> {
  const path = workflowPath(id);
  const address = `#/workflows/${id}/versions`;
  const [usage, published] = [h('div'), h('div', { class: 'workflow-tables' })];
  const name = h('a', { href: `#/workflows/${id}` }, 'draft');
  fill(
    view,
    h('p', { class: 'crumbs' }, h('a', { href: '#/workflows' }, 'Workflows'), ' / ', name, ' / versions'),
    h('h1', { tabindex: -1 }, TITLE),
    h('section', { 'aria-labelledby': 'use-title' }, h('h2', { id: 'use-title' }, 'Use'), usage),
    h('section', { 'aria-labelledby': 'published-title' }, h('h2', { id: 'published-title' }, 'Published'), published),
  );
  const used = showReading<WireUsage>(usage, signal, {
    what: 'the use of the workflow',
    read: () => ask(`${path}/usage`, { signal }),
    show: usageFacts,
  });
  const page = new URLSearchParams({ page: query.get('page') ?? '' });
  let title = TITLE;
  await showReading(published, signal, {
    what: 'its publications',
    async read() {
      const [draft, publications] = await Promise.all([
        ask<WireWorkflow>(path, { signal }),
        ask<NumberedList<WirePublication>>(`${path}/snapshots?${withDefaults(page)}`, { signal }),
      ]);
      return { draft, publications };
    },
    show({ draft, publications }) {
      title = `${TITLE}: ${draft.name}`;
      rename(title);
      fill(name, draft.name);
      if (publications.items.length === 0) return [];
      return [
        publicationTable(publications),
        pageLinks(address, query, publications),
        comparison(draft, publications.items, signal),
      ];
    },
    none: 'Nothing of this workflow is published yet. Its editor says what is missing for that.',
  });
  await used;
  return title;
}

/** The counts of a workflow's use, as the service gives them. */
function usageFacts({ decisions, forks, snapshots, last_used_at }: WireUsage): readonly Child[] {
  const { total, evaluated, result_distribution: results } = decisions;
  return [
    factList(
      countFacts([
        ['Decisions by it', total],
        ['Evaluated', evaluated],
        ['Copies', forks],
        ['Different contents published', snapshots],
      ]),
      { class: 'tiles', 'aria-label': 'Counts' },
    ),
    h(
      'p',
      { class: 'soft' },
      last_used_at === null ? 'No decision has named it yet.' : `Named last at ${instant(last_used_at)}.`,
    ),
    results === null
      ? h('p', {}, 'Results are withheld: those of other owners are shown only for enough decisions by enough owners.')
      : evaluated > 0 && factList(countFacts(Object.entries(results)), { 'aria-label': 'Results' }),
  ];
}

/** Two choices of a version, and what differs between them; first the newest publication and the draft. */
function comparison(draft: WireWorkflow, publications: readonly WirePublication[], signal: AbortSignal): HTMLElement {
  const options = [
    [DRAFT, `the draft, version ${draft.version}`],
    ...[...new Map(publications.map((each) => [each.hash, each])).values()].map(
      ({ hash, published_at }) => [hash, `published ${instant(published_at)}, ${hash.slice(0, 8)}`] as const,
    ),
  ] as const;
  const before = choiceField({ name: 'before', label: 'From' }, options, publications[0]?.hash);
  const after = choiceField({ name: 'after', label: 'To' }, options, DRAFT);
  const result = h('div', { class: 'comparison-result', role: 'status' });
  let visit = new AbortController();
  const compare = async () => {
    visit.abort();
    visit = new AbortController();
    const both = [before.control.value, after.control.value].map((name) => contentOf(name, draft, visit.signal));
    await showReading(result, AbortSignal.any([signal, visit.signal]), {
      what: 'both versions',
      read: () => Promise.all(both),
      show: ([from, to]) => (from && to ? [differenceList(differenceOf(from, to), 'They do not differ.')] : []),
    });
  };
  for (const { control } of [before, after]) control.addEventListener('change', compare);
  void compare();
  return h(
    'section',
    { class: 'comparison', 'aria-labelledby': 'compare-title' },
    h('h2', { id: 'compare-title' }, 'Compare'),
    h('div', { class: 'filters' }, before.element, after.element),
    result,
  );
}

/** A snapshot never changes, so that it is read once. */
async function contentOf(name: string, draft: WireWorkflow, signal: AbortSignal): Promise<Compared> {
  if (name === DRAFT) {
    // The visibility of a draft is no part of what is published.
    const { visibility, ...content } = draft;
    return content;
  }
  const read =
    snapshots.get(name) ?? (await ask<WireSnapshot>(`/api/v1/public/workflows/snapshots/${name}`, { signal }));
  snapshots.set(name, read);
  const { visibility, ...content } = read;
  return content;
}

/** The publications of a workflow, the last first, with the reference of each and its files. */
function publicationTable({ items, total }: NumberedList<WirePublication>): HTMLElement {
  return table<WirePublication>({
    caption: counted(total, 'publication'),
    rows: items,
    columns: [
      {
        title: 'Published',
        cell: ({ published_at, hash }) => h('a', { href: `#/snapshots/${hash}` }, instant(published_at)),
      },
      { title: 'For', cell: ({ visibility }) => (visibility === 'public' ? 'everybody' : 'you alone') },
      { title: 'Steps', kind: 'number', cell: ({ node_count }) => String(node_count) },
      { title: 'Reference', cell: ({ workflow_ref }) => copyLine(workflow_ref) },
      {
        title: 'Files',
        cell: ({ hash, published_at }) => h('span', {}, ...fileLinks(hash, `as of ${instant(published_at)}`)),
      },
    ],
  });
}

/** Links to the files of a snapshot. `which` names the snapshot in each link, where there are several. */
export function fileLinks(hash: string, which = ''): readonly Child[] {
  const path = `/api/v1/public/workflows/snapshots/${hash}`;
  const hidden = () => which !== '' && h('span', { class: 'hidden' }, ` ${which}`);
  return [
    h('a', { href: `${path}/yaml`, download: '' }, 'YAML', hidden()),
    ', ',
    h('a', { href: `${path}/export`, download: '' }, 'skill', hidden()),
  ];
}
