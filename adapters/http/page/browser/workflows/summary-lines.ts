import { h } from '../kit/elements.ts';

/** The description and the tags of a workflow in a list; each tag lists those that have it. */
export function aboutLines(description: string, tags: readonly string[], tagAddress: string): readonly HTMLElement[] {
  return [
    ...(description === '' ? [] : [h('span', { class: 'about clamped' }, description)]),
    ...(tags.length === 0
      ? []
      : [
          h(
            'span',
            { class: 'tags' },
            ...[...new Set(tags)].map((tag) => h('a', { href: `${tagAddress}${encodeURIComponent(tag)}` }, tag)),
          ),
        ]),
  ];
}
