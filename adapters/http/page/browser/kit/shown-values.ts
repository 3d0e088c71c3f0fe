import { h } from './elements.ts';
import { fromNow, instant, shortInstant } from './value-texts.ts';

/** A number whose minus is a word to those who hear it: programs that read pages leave out the sign. */
export function spoken(value: string): HTMLElement {
  const isNegative = value.startsWith('\u2212');
  if (!isNegative) return h('span', {}, value);
  return h(
    'span',
    { class: 'negative' },
    h('span', { 'aria-hidden': 'true' }, value),
    h('span', { class: 'hidden' }, `minus ${value.slice(1)}`),
  );
}

/** A time in the zone of the reader; with the zone when the pointer is over it. */
export function timeAt(time: string): HTMLElement {
  const [date = '', clock] = shortInstant(time).split(', ');
  return h(
    'time',
    { datetime: time, title: instant(time) },
    date,
    clock ? h('span', { class: 'clock' }, `, ${clock}`) : null,
  );
}

/** How long ago or in how long a time is, when it was shown; the time itself when the pointer is over it. */
export function timeFrom(time: string): HTMLElement {
  return h('time', { datetime: time, title: instant(time) }, fromNow(time));
}
