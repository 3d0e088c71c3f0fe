import { html, Markup } from '../docs/markup.ts';

const PLACES: readonly (readonly [address: string, name: string])[] = [
  ['/#/atlas', 'Atlas'],
  ['/#/entries', 'Records'],
  ['/#/cohorts', 'Cohorts'],
  ['/verify', 'Verify'],
  ['/guide/', 'Guide'],
  ['/docs', 'Reference'],
];

/**
 * The links in the header of each page for people.
 * @param current the address of the page itself, which is marked
 */
export function mainNavigation(current?: string): Markup {
  const mark = (address: string) => new Markup(address === current ? ' aria-current="page"' : '');
  return html`<nav aria-label="Main">
${PLACES.map(([address, name]) => html`<a href="${address}"${mark(address)}>${name}</a>\n`)}</nav>`;
}
