import { ask } from '../../kit/ask.ts';
import { h } from '../../kit/elements.ts';
import { choiceField } from '../../kit/forms.ts';
import { showReading } from '../../kit/states.ts';
import { instant } from '../../kit/value-texts.ts';
import type { WirePublication, WireSnapshot, WireWorkflow } from '../wire-workflows.ts';
import { differenceList } from './difference-list.ts';
import { type Compared, differenceOf } from './snapshot-difference.ts';

const DRAFT = 'draft';

/** Two choices of a version, and what differs between them; first the newest publication and the draft. */
export function comparison(
  draft: WireWorkflow,
  publications: readonly WirePublication[],
  signal: AbortSignal,
): HTMLElement {
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

const snapshots = new Map<string, WireSnapshot>();

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
