import { fill, h } from '../kit/elements.ts';
import type { Visit } from '../kit/forms.ts';

const TITLE = 'There is no view at this address';

const WAYS = [
  ['#/', 'Home', 'the atlas, public records, stablecoins'],
  ['#/overview', 'Your account', 'what waits, your decisions, agents and keys'],
  ['/guide/', 'Guide', 'what you can do, and how, with a search'],
  ['/docs', 'Reference', 'every operation of the interface'],
] as const;

/** In the place of a view that there is not, with ways on. */
export async function showMissing(view: HTMLElement, _: Visit): Promise<string> {
  fill(
    view,
    h('h1', { tabindex: -1 }, TITLE),
    h('p', { class: 'lead' }, 'The page has nothing at ', h('code', {}, location.hash.slice(0, LONGEST_SHOWN)), '.'),
    h('ul', { class: 'links' }, ...WAYS.map(([href, name, about]) => h('li', {}, h('a', { href }, name), ` ${about}`))),
  );
  return TITLE;
}

const LONGEST_SHOWN = 100;
