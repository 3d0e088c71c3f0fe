import { calibrationPart, countedBand, FEWEST_OF_SHARE, sharePercent } from '../agents/calibration-drawing.ts';
import { countedWays, countTable } from '../agents/counts.ts';
import type { TrackCounts } from '../agents/track-parts.ts';
import { readShare } from '../kit/domain.ts';
import { type Child, factList, h } from '../kit/elements.ts';
import type { Schemas } from '../kit/schemas.ts';
import { counted } from '../kit/value-texts.ts';
import { cohortAddress, overviewFacts, queryWords } from './cohort-query.ts';
import { agentCautions, type Comparison, cohortCautions, cohortOf } from './compare-query.ts';

export interface ComparedAgent {
  readonly agent_id: string;
  readonly name: string;
  readonly record: TrackCounts & { readonly retroactive: TrackCounts };
}

/** Counts, share and calibration of an agent of the owner, with what they do not show. */
export function agentPart({ name, record }: ComparedAgent, origin: 'realtime' | 'retroactive'): HTMLElement {
  const counts = origin === 'realtime' ? record : record.retroactive;
  const bands = (counts.calibration ?? []).map(countedBand);
  const title = h('h2', {}, name);
  if (counts.evaluated_count === 0)
    return h('section', { class: 'facts' }, title, h('p', {}, 'Nothing is graded in this selection.'));
  return h(
    'section',
    { class: 'facts' },
    title,
    h('p', {}, ...shareWords(counts)),
    cautionList(agentCautions(counts, origin)),
    countTable(`Graded decisions of ${name}`, countedWays(counts)),
    h('h3', {}, 'Stated confidence and share correct'),
    bands.length === 0
      ? h('p', { class: 'soft' }, 'No graded decision stated a confidence.')
      : h('p', { class: 'soft' }, READING),
    bands.length > 0 && calibrationPart(bands, name),
  );
}

const READING = `On the dashed line as many came out correct as were said to. Bars are 95\u00a0% intervals, as if windows did not overlap; a tenth with fewer than ${FEWEST_OF_SHARE} is drawn as its decisions: correct above, incorrect below.`;

function cautionList(cautions: readonly string[]): Child {
  return cautions.length > 0 && h('ul', { class: 'bullets' }, ...cautions.map((words) => h('li', {}, words)));
}

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

/** The counts of the cohort by the same filters, without shares, or why they are withheld; null: no instrument. */
export function cohortPart(cohort: Schemas['PublicCohort'] | null, question: Comparison): HTMLElement {
  const title = h('h2', {}, 'Public cohort');
  const filters = cohortOf(question);
  if (cohort === null || filters === null)
    return h('section', { class: 'facts' }, title, h('p', {}, 'The agent has no instrument to compare yet.'));
  const { overview } = cohort;
  const { sample_count, result_distribution, had_said, suppression } = overview;
  return h(
    'section',
    { class: 'facts' },
    title,
    h('p', { class: 'soft' }, `${queryWords(cohort.query)}.`),
    ...(result_distribution === null
      ? [h('p', { class: 'notice' }, h('b', {}, 'These counts are withheld.'), ` ${suppression.message ?? ''}`)]
      : [
          h(
            'p',
            {},
            h('b', {}, counted(sample_count ?? 0, 'graded decision')),
            ' of at least ',
            ownersWords(overview),
            '.',
          ),
          cautionList(cohortCautions(overview, question)),
          countTable('Graded decisions of the cohort', countedWays({ result_distribution, had_said })),
          factList(overviewFacts(overview)),
        ]),
    h('p', {}, h('a', { href: cohortAddress(filters) }, 'This cohort alone'), ', with a link to refer to it.'),
  );
}

function ownersWords({ suppression: { min_producers } }: Schemas['CohortOverview']): string {
  return counted(min_producers, 'owner');
}
