import { h } from './elements.ts';

/** Facts by their names, each with its value in words. */
export function factList(facts: readonly (readonly [name: string, words: string])[]): HTMLElement {
  return h('dl', {}, ...facts.map(([name, words]) => h('div', {}, h('dt', {}, name), h('dd', {}, words))));
}
