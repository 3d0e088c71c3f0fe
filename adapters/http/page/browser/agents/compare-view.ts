import { ask } from '../kit/ask.ts';
import { readShare } from '../kit/domain.ts';
import { type Child, fill, h } from '../kit/elements.ts';
import { choiceField, form, textOf, type Visit } from '../kit/forms.ts';
import { type NamedAgent, readAgentNames } from '../kit/lists.ts';
import { showReading } from '../kit/states.ts';
import { counted } from '../kit/value-texts.ts';
import { goTo } from '../shell/arrival.ts';
import { type Band, calibrationPart, countedBand, FEWEST_OF_SHARE, sharePercent } from './calibration-drawing.ts';
import { countedWays, countTable } from './counts.ts';
import { RANGES } from './horizons-part.ts';
import type { TrackCounts } from './track-parts.ts';
import { originOf, recordPath } from './track-query.ts';

const TITLE = 'Calibration';

/** What is compared, as the address names it. */
interface Question {
  readonly a: string;
  readonly b: string;
  readonly horizon: string;
  readonly origin: string;
}

type Origin = 'realtime' | 'retroactive';

interface Counted {
  readonly name: string;
  readonly record: TrackCounts & { readonly retroactive: TrackCounts };
}

/** Stated confidence against what happened, of one agent of the owner or of two side by side. */
export async function show(view: HTMLElement, { query, signal, again }: Visit): Promise<string> {
  const [fields, box] = [h('div'), h('div')];
  fill(view, h('h1', { tabindex: -1 }, TITLE), h('p', { class: 'lead' }, ABOUT), fields, box);
  const agents = await readAgentNames(signal);
  const asked = questionOf(query, agents);
  await showReading(box, signal, {
    what: 'the counts',
    read: () => readAll(asked, agents, signal),
    show(found) {
      const origin = originOf({ origin: asked.origin }, Math.max(...found.map(({ record }) => record.evaluated_count)));
      fill(fields, questionForm({ ...asked, origin }, agents, again));
      return found.length === 0 ? [] : shown(found, origin, asked.horizon !== '');
    },
    none: 'You have no agent yet. An agent is made with its first API key.',
  });
  return TITLE;
}

const ABOUT =
  'What your agents said they were sure of, next to how it came out. Only you see these shares: they are of what the agents chose to state, and are no odds of the next decision.';

function questionOf(query: URLSearchParams, agents: readonly NamedAgent[]): Question {
  const get = (name: string) => query.get(name)?.trim() ?? '';
  return { a: get('a') || (agents[0]?.agent_id ?? ''), b: get('b'), horizon: get('horizon'), origin: get('origin') };
}

const HORIZONS = RANGES.map(({ name, from, to }) => ({ name, value: `${from}-${to ?? ''}` }));

function readAll({ a, b, horizon }: Question, agents: readonly NamedAgent[], signal: AbortSignal) {
  const [from = '', to = ''] = horizon.split('-');
  const range = { ...(from && { holding_seconds_min: from }), ...(to && { holding_seconds_max: to }) };
  const wanted = [...new Set([a, b])].filter((id) => id !== '');
  return Promise.all(
    wanted.map(async (id): Promise<Counted> => {
      const record = await ask<Counted['record']>(recordPath(id, range), { signal });
      return { name: agents.find(({ agent_id }) => agent_id === id)?.name ?? id, record };
    }),
  );
}

function questionForm({ a, b, horizon, origin }: Question, agents: readonly NamedAgent[], again: () => void) {
  const named = agents.map(({ agent_id, name }) => [agent_id, name] as const);
  const horizons = [['', 'any'] as const, ...HORIZONS.map(({ name, value }) => [value, name] as const)];
  const all = [
    choiceField({ name: 'a', label: 'Agent' }, named, a),
    choiceField({ name: 'b', label: 'Next to' }, [['', 'no other'], ...named], b),
    choiceField({ name: 'horizon', label: 'Horizon' }, horizons, horizon),
    choiceField(
      { name: 'origin', label: 'Stated' },
      [
        ['realtime', 'before the prices were known'],
        ['retroactive', 'after'],
      ],
      origin,
    ),
  ];
  return form({
    fields: all,
    action: 'Show',
    class: 'filters',
    async send() {
      const chosen = all.flatMap((field) => {
        const value = textOf(field);
        return value === undefined ? [] : [[field.name, value]];
      });
      const address = `#/compare?${new URLSearchParams(chosen)}`;
      if (address === location.hash) again();
      else goTo(address);
    },
  });
}

function shown(found: readonly Counted[], origin: Origin, isRange: boolean): readonly Child[] {
  return [
    isRange && h('p', { class: 'soft' }, 'A range of horizons leaves out those in trading days.'),
    found.length > 1 && h('p', { class: 'notice' }, OF_TWO),
    h('div', { class: 'columns' }, ...found.map((each) => agentPart(each, origin))),
  ];
}

const OF_TWO =
  'The two chose their own instruments and windows, so a difference of their shares is no test of one against the other. Intervals that overlap show no difference.';

function agentPart({ name, record }: Counted, origin: Origin): HTMLElement {
  const counts = origin === 'realtime' ? record : record.retroactive;
  const bands = (counts.calibration ?? []).map((band: Band) => countedBand(band));
  const title = h('h2', {}, name);
  if (counts.evaluated_count === 0) return h('section', { class: 'facts' }, title, h('p', {}, NONE));
  const cautions = cautionsOf(counts, origin);
  return h(
    'section',
    { class: 'facts' },
    title,
    h('p', {}, ...shareWords(counts)),
    cautions.length > 0 && h('ul', { class: 'bullets' }, ...cautions.map((words) => h('li', {}, words))),
    countTable(`Graded decisions of ${name}`, countedWays(counts)),
    h('h3', {}, 'Stated confidence and share correct'),
    bands.length === 0
      ? h('p', { class: 'soft' }, 'No graded decision stated a confidence.')
      : h('p', { class: 'soft' }, READING),
    bands.length > 0 && calibrationPart(bands, name),
  );
}

const NONE = 'Nothing is graded in this selection.';

const READING = `On the dashed line as many came out correct as were said to. Bars are 95\u00a0% intervals, as if windows did not overlap; a tenth with fewer than ${FEWEST_OF_SHARE} is drawn as its decisions: correct above, incorrect below.`;

/** The share with its interval, in numbers of windows that do not overlap. */
function shareWords({ result_distribution, had_said, windows }: TrackCounts): readonly Child[] {
  const read = readShare({ result_distribution, had_said, windows });
  if (read === null) return [];
  const { count, of, share, separate, interval, hadSaid } = read;
  if (of < FEWEST_OF_SHARE) return [h('b', {}, `${count} of ${of}`), ' correct: too few for a share.'];
  const range = interval && `${sharePercent(interval.low)} to ${sharePercent(interval.high)}`;
  const others = hadSaid && Object.entries(hadSaid).map(([direction, value]) => `${direction} ${sharePercent(value)}`);
  return [
    h('b', {}, `${sharePercent(share)} correct`),
    `, ${count.toLocaleString('en-GB')} of ${of.toLocaleString('en-GB')}`,
    range && `; 95\u00a0% interval ${range}, by ${counted(separate ?? of, 'window')} without overlap`,
    others && `. All in one direction: ${others.join(', ')}`,
    '.',
  ];
}

/** Why the numbers show less than they seem to. */
function cautionsOf(counts: TrackCounts, origin: Origin): readonly string[] {
  const { evaluated_count, unavailable_count, windows, result_distribution, had_said } = counts;
  const isOneDirection = Object.values(had_said ?? {}).some(
    (said) =>
      JSON.stringify(Object.entries(said).sort()) === JSON.stringify(Object.entries(result_distribution).sort()),
  );
  const cautions: readonly (readonly [boolean, string])[] = [
    [origin === 'retroactive', 'Stated after the prices were known: the agent could have known the outcome.'],
    [
      windows !== null && windows.disjoint < evaluated_count,
      `Windows overlap, so one move of the market is counted more than once: ${windows?.disjoint ?? 0} do not.`,
    ],
    [windows === null, 'Whether windows overlap is not counted for so many decisions.'],
    [isOneDirection, 'One direction in all windows came out the same: this shows the market, not a choice.'],
    [unavailable_count > 0, `${counted(unavailable_count, 'decision')} ended without a grade that counts.`],
  ];
  return cautions.flatMap(([holds, words]) => (holds ? [words] : []));
}
