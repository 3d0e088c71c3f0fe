import { fill, h, part } from '../kit/elements.ts';
import { readIdentity } from '../kit/identity.ts';
import { type Audience, VIEWS } from './views.ts';

/** Shows the navigation of the account next to its views, with the current one marked; elsewhere it is hidden. */
export function showNavigation(current: string, audience: Audience): void {
  const navigation = part('#console-navigation', HTMLElement);
  navigation.hidden = audience === 'everybody';
  if (navigation.hidden) return;
  list(navigation, current, 'owner');
  void readIdentity().then((identity) => {
    if (identity?.role === 'admin') list(navigation, current, 'admin');
  });
}

function list(navigation: HTMLElement, current: string, audience: Audience): void {
  const listed = Object.entries(VIEWS).filter(([, view]) => view.label && isOpenTo(view.audience, audience));
  const links = listed.map(([name, { label }]) =>
    h('li', {}, h('a', { href: `#/${name}`, 'aria-current': name === current && 'page' }, label)),
  );
  fill(navigation, h('ul', {}, ...links));
  navigation.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
}

function isOpenTo(audience: Audience, reader: Audience): boolean {
  return audience === 'owner' || (audience === 'admin' && reader === 'admin');
}
