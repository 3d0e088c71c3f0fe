import { countedWays, countTable } from '../agents/counts.ts';
import { cohortAddress, cohortFilters } from '../cohorts/cohort-query.ts';
import { ask } from '../kit/ask.ts';
import { fill, h } from '../kit/elements.ts';
import { ownRetryAfter } from '../kit/refused-request.ts';
import { horizon, instrument, plain, statedWords } from '../kit/value-texts.ts';
import type { WireIdentity, WirePublicDetail } from '../kit/wire.ts';
import { drawFacts } from '../records/facts-drawing.ts';
import { drawingWords, gradedWords } from '../records/record-facts.ts';
import type { Listed, Seed } from './atlas-seeds.ts';

/**
 * What the service yields, at the top of the home: a graded decision, drawn, one that was stated before the prices were
 * known if there is any; the counts of its cohort next to what each direction would have got; and how to verify it. Hidden while there is no public decision, or it cannot be read.
 */
export async function showShowcase(box: HTMLElement, listed: Listed, signal: AbortSignal, attempt = 0): Promise<void> {
  const { seeds, newest } = listed;
  const shown = seeds.filter(({ overview }) => overview.result_distribution !== null);
  const seed = shown.find(({ record }) => isRealtime(record)) ?? shown[0] ?? seeds[0];
  const record = seed?.record ?? newest.find(isRealtime) ?? newest[0];
  box.hidden = !record;
  if (!record || box.dataset.shown === record.record_id) return;
  box.dataset.shown = record.record_id;
  try {
    const detail = await ask<WirePublicDetail>(`/api/v1/public/decisions/${record.record_id}`);
    if (box.dataset.shown !== record.record_id) return;
    const { outcome } = detail;
    box.hidden = outcome === null;
    if (outcome === null) return;
    fill(box, ...contentOf({ ...detail, outcome }, seed));
    await drawFacts(chartIn(box), { facts: outcome, direction: detail.direction, window: detail.window });
  } catch (error) {
    delete box.dataset.shown;
    box.hidden = true;
    const seconds = ownRetryAfter(error, attempt);
    if (seconds === null) return;
    setTimeout(() => signal.aborted || showShowcase(box, listed, signal, attempt + 1), seconds * 1_000);
  }
}

function isRealtime({ submission_origin }: WireIdentity): boolean {
  return submission_origin === 'realtime';
}

function chartIn(box: HTMLElement): HTMLElement {
  const chart = box.querySelector<HTMLElement>('.sketch');
  if (!chart) throw new Error('The showcase has no chart.');
  return chart;
}

type GradedDetail = WirePublicDetail & { readonly outcome: NonNullable<WirePublicDetail['outcome']> };

function contentOf(detail: GradedDetail, seed: Seed | undefined): readonly Node[] {
  const link = h(
    'a',
    { href: `#/records/${detail.record_id}` },
    `${instrument(detail)} ${detail.direction} over ${horizon(detail)}: ${plain(detail.result_bucket)}`,
  );
  const isShown = seed !== undefined && seed.overview.result_distribution !== null;
  return [
    h('h2', {}, link),
    h('p', { class: 'soft' }, h('b', {}, `S${statedWords(detail).slice(1)}. `), gradedWords(detail, detail.outcome)),
    h('div', { class: 'sketch', role: 'img', 'aria-label': drawingWords(detail, detail.outcome) }),
    ...(isShown ? [cohortTable(instrument(detail), seed), cohortLink(seed)] : []),
    h(
      'p',
      { class: 'soft' },
      h('a', { href: `#/records/${detail.record_id}` }, 'Verify it'),
      ': the decision and its grade are in a public log, and the verifier runs in your browser.',
    ),
  ];
}

/** The counts of a cohort that is shown, next to what one direction alone would have got in the same windows. */
export function cohortTable(name: string, { overview, query }: Pick<Seed, 'overview' | 'query'>): HTMLElement {
  const { result_distribution, had_said, sample_count } = overview;
  const stated = query.include_retroactive ? 'those stated after the outcome included' : 'stated before the outcome';
  if (result_distribution === null) return h('p', { class: 'soft' }, 'Its counts are withheld.');
  const caption = `All ${sample_count?.toLocaleString('en-GB') ?? ''} public decisions on ${name}, ${stated}, and what one direction alone would have got`;
  return countTable(caption, countedWays({ result_distribution, had_said }));
}

/** The view of the cohort of a seed, where it can be counted in other ways. */
export function cohortLink({ query }: Seed): HTMLElement {
  const sent = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]));
  const href = cohortAddress(cohortFilters(sent));
  return h('p', { class: 'soft' }, h('a', { href }, 'Count this cohort now'), ', by direction, period or horizon.');
}
