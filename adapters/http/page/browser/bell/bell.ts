import { ask } from '../kit/ask.ts';
import { button, fill, h } from '../kit/elements.ts';
import { lacksFactor } from '../kit/identity.ts';
import { onEvents } from '../kit/live-events.ts';
import { refusalWords } from '../kit/refused-request.ts';
import { s } from '../kit/svg.ts';
import { fromNow, instant } from '../kit/value-texts.ts';
import { allRead, type Digest, daysOf, lineAddress, lineWords, newWords } from './bell-lines.ts';

const DIGEST = '/api/v1/owner/events/digest';
const MARK = '/api/v1/owner/events/read-mark';
/** Tabs of the browser show the same as read. */
const NAME = 'stancebook-bell';
/** Between two readings, however many events come. */
const PACE = 5_000;
/** Events that come together are read once. */
const GATHERED = 300;
const MOST_SHOWN = 99;
const GAP = 8;

/** Events that add to no line. */
const IN_NO_DIGEST = /submitted|verified|deferred|credited|circuit/;

let run = new AbortController();

/** Shows what happened since the owner looked last, for who is signed in; called again at each change of the session. */
export function showBell(box: HTMLElement, isIn: boolean): void {
  run.abort();
  run = new AbortController();
  fill(box);
  if (isIn) void begin(box, run.signal);
}

async function begin(box: HTMLElement, signal: AbortSignal): Promise<void> {
  // Until the session has its factor, every request is refused.
  if ((await lacksFactor()) || signal.aborted) return;
  const bell = bellParts();
  fill(box, bell.opener, bell.said, bell.panel);
  let digest: Digest | null = null;
  const channel = new BroadcastChannel(NAME);
  signal.addEventListener('abort', () => channel.close());
  const show = (next: Digest) => {
    digest = next;
    drawCount(bell, next.unread);
    if (!isOpen(bell)) drawLines(bell, next);
  };
  const read = async () => {
    const next = await ask<Digest>(DIGEST, { signal });
    if (digest !== null) bell.said.textContent = newWords(digest, next);
    show(next);
  };
  const quietly = () => read().catch(() => undefined);
  channel.addEventListener('message', () => digest && show(allRead(digest)));
  const mark = async ({ read_mark, unread }: Digest) => {
    if (unread === 0) return;
    await ask(MARK, { method: 'PUT', body: { read_mark }, signal });
    channel.postMessage(null);
    if (digest) show(allRead(digest));
  };
  const open = async () => {
    place(bell);
    bell.title.focus({ preventScroll: true });
    try {
      if (digest === null) await read();
      if (digest === null) return;
      drawLines(bell, digest);
      await mark(digest);
    } catch (error) {
      if (!signal.aborted) fill(bell.lines, h('p', { role: 'alert' }, refusalWords(error)), button('Try again', open));
    }
  };
  bell.panel.addEventListener('toggle', () => {
    bell.opener.ariaExpanded = String(isOpen(bell));
    if (isOpen(bell)) void open();
    else if (digest) drawLines(bell, digest);
  });
  follow(signal, quietly);
  await quietly();
}

/** Reads again when something concerns the owner, at a pace, and not while nobody looks at the page. */
function follow(signal: AbortSignal, read: () => Promise<unknown>): void {
  let due: ReturnType<typeof setTimeout> | undefined;
  let last = 0;
  let isMissed = false;
  const soon = () => {
    if (document.hidden) isMissed = true;
    else
      due ??= setTimeout(
        () => {
          [due, last] = [undefined, Date.now()];
          void read();
        },
        Math.max(GATHERED, last + PACE - Date.now()),
      );
  };
  onEvents(signal, {
    happened: (events) => events.some(({ type }) => !IN_NO_DIGEST.test(type)) && soon(),
    missed: soon,
  });
  const seen = () => {
    if (document.hidden || !isMissed) return;
    isMissed = false;
    soon();
  };
  document.addEventListener('visibilitychange', seen, { signal });
  signal.addEventListener('abort', () => clearTimeout(due));
}

type Bell = ReturnType<typeof bellParts>;

function bellParts() {
  const count = h('span', { class: 'bell-count', 'aria-hidden': 'true', hidden: true });
  const name = h('span', { class: 'hidden' });
  const opener = h(
    'button',
    { type: 'button', class: 'bell', popovertarget: 'bell-panel', 'aria-expanded': 'false' },
    '',
  );
  opener.append(picture(), count, name);
  const title = h('h2', { id: 'bell-title', tabindex: -1 }, 'What happened');
  const lines = h('div', { class: 'bell-lines' }, h('p', { class: 'soft' }, 'Reading\u2026'));
  const panel = h(
    'div',
    { id: 'bell-panel', class: 'bell-panel', popover: 'auto', role: 'dialog', 'aria-labelledby': 'bell-title' },
    title,
    lines,
  );
  panel.addEventListener('click', ({ target }) => {
    if (target instanceof Element && target.closest('a')) panel.hidePopover();
  });
  const parts = { opener, count, name, panel, title, lines, said: h('span', { class: 'hidden', role: 'status' }) };
  drawCount(parts, 0);
  return parts;
}

function picture(): SVGElement {
  const paths = ['M4 12.2V7.5a4 4 0 0 1 8 0v4.7l1.2 1.3H2.8Z', 'M6.6 15.2a1.5 1.5 0 0 0 2.8 0'];
  return s(
    'svg',
    { width: 18, height: 18, viewBox: '0 0 16 17', fill: 'none', stroke: 'currentColor', 'aria-hidden': 'true' },
    ...paths.map((d) => s('path', { d, 'stroke-width': 1.4, 'stroke-linejoin': 'round', 'stroke-linecap': 'round' })),
  );
}

function drawCount({ opener, count, name }: Pick<Bell, 'opener' | 'count' | 'name'>, unread: number): void {
  count.hidden = unread === 0;
  count.textContent = unread > MOST_SHOWN ? `${MOST_SHOWN}+` : String(unread);
  name.textContent = unread === 0 ? 'What happened: nothing new' : `What happened: ${unread} new`;
  opener.classList.toggle('is-new', unread > 0);
}

function drawLines({ lines, panel }: Bell, { lines: all, read_at, is_cut }: Digest): void {
  const days = daysOf(all, Date.now());
  fill(
    lines,
    days.length === 0 && h('p', { class: 'soft' }, NOTHING),
    ...days.map(({ title, lines: those }) =>
      h('section', {}, h('h3', {}, title), h('ul', {}, ...those.map((line) => h('li', {}, lineOf(line))))),
    ),
    is_cut && h('p', { class: 'soft' }, 'There were more: the list of decisions has all.'),
    h(
      'p',
      { class: 'soft bell-foot' },
      `Of 30 days, by days of UTC. ${read_at === null ? 'Not read before.' : `Read before: ${fromNow(read_at)}.`}`,
    ),
  );
  panel.scrollTop = 0;
}

const NOTHING = 'Nothing yet. Grades, refusals, keys that expire, new sign-ins and failing webhooks come here.';

function lineOf(line: Digest['lines'][number]): HTMLElement {
  const time = h('time', { datetime: line.at, title: instant(line.at) }, fromNow(line.at));
  const isNew = line.unread > 0;
  const link = h('a', { href: lineAddress(line) }, lineWords(line));
  return h('div', { class: isNew ? 'is-new' : '' }, link, isNew && h('span', { class: 'hidden' }, ', new'), time);
}

function isOpen({ panel }: Pick<Bell, 'panel'>): boolean {
  return panel.matches(':popover-open');
}

/** Below the bell, within the window. */
function place({ opener, panel }: Bell): void {
  const { bottom, right } = opener.getBoundingClientRect();
  panel.style.top = `${Math.max(GAP, bottom + GAP)}px`;
  const { clientWidth } = document.documentElement;
  const most = clientWidth - panel.offsetWidth - GAP;
  panel.style.right = `${Math.min(Math.max(GAP, clientWidth - right), Math.max(0, most))}px`;
}
