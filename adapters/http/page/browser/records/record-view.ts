import { ask } from '../kit/ask.ts';
import { fill, h } from '../kit/elements.ts';
import { RefusedRequest } from '../kit/refused-request.ts';
import { isSignedIn } from '../kit/session-hint.ts';
import { claim, horizon, instrument } from '../kit/value-texts.ts';
import type { Visit } from '../kit/visit.ts';
import type { Detail, Factor } from '../kit/wire.ts';
import { drawBars } from './bars-drawing.ts';
import { drawFacts } from './facts-drawing.ts';
import { outcomeFacts } from './outcome-facts.ts';
import { decisionFacts, drawingWords, type Fact, gradedWords, ownFacts, withoutOutcomeWords } from './record-facts.ts';
import { relatedRecords } from './related-records.ts';

const RECORD_ID = /^dec_\d{8}_[0-9a-f]{8}$/;

/** Shows one record in the view; returns its title. */
export async function show(view: HTMLElement, { rest: recordId }: Visit): Promise<string> {
  fill(view, h('p', { class: 'soft' }, 'Reading the record\u2026'));
  try {
    if (!RECORD_ID.test(recordId))
      throw new RefusedRequest({
        status: 400,
        message: 'This is not the id of a record.',
        suggestion: 'Ids look like dec_20260130_5c0ffee5.',
      });
    return showDetail(view, await readRecord(recordId));
  } catch (error) {
    return showRefusal(view, recordId, error);
  }
}

/** Reads the whole record for its owner, else the public form of a public record. */
async function readRecord(recordId: string): Promise<Detail> {
  const own = isSignedIn()
    ? await ask<Detail>(`/api/v1/owner/decisions/${recordId}?include_archived=true`).catch(unlessAbsent)
    : null;
  return own ?? ask<Detail>(`/api/v1/public/decisions/${recordId}`);
}

function unlessAbsent(error: unknown): null {
  if (!(error instanceof RefusedRequest) || (error.status !== 404 && error.status !== 401)) throw error;
  return null;
}

function showDetail(view: HTMLElement, record: Detail): string {
  const title = `${instrument(record)}, ${record.direction} over ${horizon(record)}`;
  const related = h('div', { class: 'related' });
  fill(
    view,
    h('p', { class: 'crumbs' }, h('a', { href: '#/atlas' }, 'Atlas'), ' / ', h('span', {}, record.record_id)),
    h(
      'h1',
      { tabindex: -1 },
      instrument(record),
      h('span', { class: 'stance' }, `${record.direction} over ${horizon(record)}`),
    ),
    h('p', { class: 'lead' }, claim(record)),
    ...pathOf(record),
    h(
      'div',
      { class: 'columns' },
      factList('The decision', decisionFacts(record)),
      record.outcome ? factList('The path', outcomeFacts(record, record.outcome)) : null,
    ),
    record.view === 'owner' ? factList('Shown only to you', ownFacts(record)) : null,
    factorList(record.key_factors),
    related,
    origins(record),
  );
  drawPath(view, record);
  if (isPublic(record)) void relatedRecords(related, record.record_id);
  return title;
}

/** Related records are read in their public form. */
function isPublic(record: Detail): boolean {
  return record.view === 'public' || record.lifecycle_state === 'evaluated';
}

function pathOf(record: Detail): HTMLElement[] {
  if (!record.outcome) {
    return record.view === 'owner' ? [h('p', { class: 'notice' }, withoutOutcomeWords(record))] : [];
  }
  const isOwn = record.view === 'owner';
  const caption = isOwn
    ? 'The bars that the outcome was computed from, in the units of the entry, with the levels of the decision. Others see only entry, excursions and exit.'
    : 'Facts only: the path between the points is not public. Excursions are drawn at the end of the bar that contains them; prices are adjusted for splits and dividends.';
  return [
    h(
      'figure',
      { class: 'path' },
      h('p', { class: 'graded' }, gradedWords(record, record.outcome)),
      h('div', { class: 'chart', role: 'img', 'aria-label': drawingWords(record, record.outcome) }),
      h('figcaption', {}, caption),
    ),
  ];
}

function drawPath(view: HTMLElement, record: Detail): void {
  const box = view.querySelector<HTMLElement>('.chart');
  if (!box || !record.outcome) return;
  const drawn =
    record.view === 'owner' && record.outcome
      ? drawBars(box, { outcome: record.outcome, direction: record.direction, targets: record.price_targets })
      : drawFacts(box, { facts: record.outcome, direction: record.direction, window: record.window });
  drawn.catch(() =>
    fill(
      box,
      h('p', { class: 'notice' }, 'The drawing could not be loaded; the facts below contain everything that it shows.'),
    ),
  );
}

export function factList(title: string, facts: readonly Fact[]): HTMLElement {
  const rows = facts.map(({ name, value, about }) =>
    h('div', {}, h('dt', {}, name), h('dd', {}, value, about ? h('span', { class: 'about' }, about) : null)),
  );
  return h('section', { class: 'facts' }, h('h2', {}, title), h('dl', {}, ...rows));
}

function factorList(factors: readonly Factor[]): HTMLElement | null {
  if (factors.length === 0) return null;
  const items = factors.map(({ factor, dimension, direction, metric }) => {
    const notes = [
      dimension,
      direction,
      metric && `${metric.name} ${metric.value}${metric.unit ? ` ${metric.unit}` : ''}`,
    ];
    const note = notes.filter(Boolean).join(', ');
    return h('li', {}, factor, note ? h('span', { class: 'about' }, note) : null);
  });
  return h('section', { class: 'facts' }, h('h2', {}, 'Key factors'), h('ul', { class: 'factors' }, ...items));
}

function origins({ record_id, cohort_key, commitment, workflow_ref, created_regime }: Detail): HTMLElement {
  return h(
    'details',
    { class: 'origins' },
    h('summary', {}, 'Identifiers and proof'),
    factList('', [
      { name: 'Record', value: record_id },
      { name: 'Cohort', value: cohort_key },
      ...(created_regime
        ? [
            {
              name: 'Regime',
              value: created_regime,
              about: 'trend and volatility of the instrument at the anchor of the decision',
            },
          ]
        : []),
      ...(workflow_ref ? [{ name: 'Workflow', value: workflow_ref }] : []),
      {
        name: 'Commitment',
        value: commitment,
        about: 'SHA-256 of the decision and its time: the owner can reveal it, and it cannot be changed',
      },
    ]),
    h('p', {}, h('a', { href: `/api/v1/public/decisions/${record_id}` }, 'The public record as JSON')),
  );
}

function showRefusal(view: HTMLElement, recordId: string, error: unknown): string {
  const { status, message, suggestion } =
    error instanceof RefusedRequest
      ? error
      : new RefusedRequest({
          status: 0,
          message: 'The record could not be shown.',
          suggestion: 'Load the page again.',
        });
  const title = status === 404 ? 'Not a public record' : 'No record to show';
  const words =
    status === 404
      ? 'Either no record has this id, or it is not public: a record is public only once it is evaluated. Its owner sees it after signing in.'
      : `${message} ${suggestion}`;
  fill(
    view,
    h('p', { class: 'crumbs' }, h('a', { href: '#/atlas' }, 'Atlas'), ' / ', h('span', {}, recordId.slice(0, 40))),
    h('h1', { tabindex: -1 }, title),
    h('p', { class: 'notice' }, words),
    h('p', {}, h('a', { href: '#/atlas' }, 'Back to the atlas'), ' or ', h('a', { href: '#/sign-in' }, 'sign in'), '.'),
  );
  return title;
}
