import { RANGES, rangeOf } from '../../agents/outcome-columns.ts';
import { folded } from '../../kit/charts.ts';
import { fill, h } from '../../kit/elements.ts';
import type { Visit } from '../../kit/forms.ts';
import { followDecisions } from '../../kit/live-list.ts';
import { showNewest } from '../../kit/states.ts';
import { showCalibration } from './calibration-part.ts';
import { showFirstSteps } from './first-steps.ts';
import { showNotices, showNow, showOutcomes, showTiles, showUsage, showZ } from './overview-parts.ts';
import { type Choice, type Reads, readsOf } from './overview-reads.ts';
import { showDue, showNewestOutcomes, showTroubled } from './record-lists.ts';

const TITLE = 'Overview';

/** What the owner should know now, and how decisions came out: counts that lead to their lists, and charts of them. */
export async function show(view: HTMLElement, { query, signal, takeAddress }: Visit): Promise<string> {
  const ranges = h('nav', { class: 'ranges', 'aria-label': 'Range of the counts' });
  const [notices, steps, tiles, now] = [h('div'), h('div'), h('div'), h('div')];
  const [outcomes, calibration, strip] = [h('div'), h('div'), h('div')];
  const [due, newest, troubled, usage] = [h('div'), h('div'), h('div'), h('div')];
  const counts = h(
    'div',
    { class: 'dashboard' },
    tiles,
    now,
    outcomes,
    h('div', { class: 'pair' }, calibration, strip),
    h(
      'div',
      { class: 'pair' },
      section('due', 'Due next', due),
      section('newest', 'Newest outcomes', newest),
      section('troubled', 'Waiting or without prices', troubled),
      section('usage', 'Quota of today', usage, true),
    ),
  );
  fill(view, h('div', { class: 'view-head' }, h('h1', { tabindex: -1 }, TITLE), ranges), notices, steps, counts);
  let choice = choiceOf(query);
  let reads = readsOf(choice, signal);
  const isBegun = await showFirstSteps(steps, signal, () => reads.counts());
  counts.hidden = !isBegun;
  ranges.hidden = !isBegun;
  const showAll = async () => {
    const read = reads;
    await Promise.all([
      showNotices(notices, signal, read),
      ...(counts.hidden
        ? []
        : [
            showRanges(ranges, signal, read, choice),
            showTiles(tiles, signal, read),
            showNow(now, signal, read),
            showOutcomes(outcomes, signal, read),
            showCalibration(calibration, signal, read),
            showZ(strip, signal, read),
            showDue(due, signal, read),
            showNewestOutcomes(newest, signal, read),
            showTroubled(troubled, signal, read),
            showUsage(usage, signal),
          ]),
    ]);
  };
  takeAddress((next) => {
    choice = choiceOf(next);
    reads = readsOf(choice, signal);
    void showAll();
    return true;
  });
  await showAll();
  followDecisions(signal, async () => {
    reads = readsOf(choice, signal);
    const { by_state } = (await reads.counts()).decisions;
    counts.hidden &&= Object.values(by_state).every((count) => count === 0);
    ranges.hidden = counts.hidden;
    await showAll();
  });
  return TITLE;
}

function section(id: string, title: string, content: HTMLElement, isFolded = false): HTMLElement {
  const heading = h('h2', { id }, title);
  return h('section', { 'aria-labelledby': id }, ...(isFolded ? folded(heading, content) : [heading, content]));
}

function choiceOf(query: URLSearchParams): Choice {
  const origin = query.get('origin');
  const isOrigin = origin === 'realtime' || origin === 'retroactive';
  const range = query.get('range');
  return { range: range === null ? null : rangeOf(range), origin: isOrigin ? origin : null };
}

async function showRanges(box: HTMLElement, signal: AbortSignal, { outcomes }: Reads, { origin }: Choice) {
  await showNewest(box, signal, {
    what: 'the range',
    read: async () => (await outcomes()).range.name,
    show: (current) =>
      RANGES.map(({ name, words }) => {
        const href = `#/overview?${new URLSearchParams({ range: name, ...(origin && { origin }) })}`;
        return h('a', { id: `range-${name}`, href, 'aria-current': name === current && 'true' }, words);
      }),
  });
}
