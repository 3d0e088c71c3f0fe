import { type Child, h } from '../../kit/elements.ts';
import { copyLine } from '../../kit/secrets.ts';
import { table } from '../../kit/tables.ts';
import { counted, instant } from '../../kit/value-texts.ts';
import type { NumberedList, WirePublication } from '../wire-workflows.ts';

/** The publications of a workflow, the last first, with the reference of each and its files. */
export function publicationTable({ items, total }: NumberedList<WirePublication>): HTMLElement {
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

/** Links to the files of a snapshot. `which` tells the links of several snapshots apart. */
export function fileLinks(hash: string, which = ''): readonly Child[] {
  const path = `/api/v1/public/workflows/snapshots/${hash}`;
  const hidden = () => which !== '' && h('span', { class: 'hidden' }, ` ${which}`);
  return [
    h('a', { href: `${path}/yaml`, download: '' }, 'YAML', hidden()),
    ', ',
    h('a', { href: `${path}/export`, download: '' }, 'skill', hidden()),
  ];
}
