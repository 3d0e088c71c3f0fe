import { ask } from '../kit/ask.ts';
import { fill, h } from '../kit/elements.ts';
import { RefusedRequest } from '../kit/refused-request.ts';
import { isSignedIn } from '../kit/session-hint.ts';
import { refusedState } from '../kit/states.ts';
import { claim, horizon, instrument } from '../kit/value-texts.ts';
import type { Visit } from '../kit/visit.ts';
import type { Detail } from '../kit/wire.ts';
import { agentPart } from './agent-part.ts';
import { outcomeFacts } from './outcome-facts.ts';
import { pathPart } from './path-part.ts';
import { proofPart } from './proof-part.ts';
import { decisionFacts, type Fact, ownFacts } from './record-facts.ts';
import { relatedRecords } from './related-records.ts';
import { statePart } from './state-part.ts';

const RECORD_ID = /^dec_\d{8}_[0-9a-f]{8}$/;

/** Shows one decision in the view; returns its title. */
export async function show(view: HTMLElement, visit: Visit): Promise<string> {
  const { rest: recordId, signal } = visit;
  fill(view, h('p', { class: 'soft' }, 'Reading the record\u2026'));
  try {
    if (!RECORD_ID.test(recordId))
      throw new RefusedRequest({
        status: 400,
        message: 'This is not the id of a record.',
        suggestion: 'Ids look like dec_20260130_5c0ffee5.',
      });
    return showDetail(view, await readRecord(recordId, signal), signal);
  } catch (error) {
    signal.throwIfAborted();
    return showRefusal(view, visit, error);
  }
}

/** Reads the whole record for its owner, else the public form of a public record. */
async function readRecord(recordId: string, signal: AbortSignal): Promise<Detail> {
  const own = isSignedIn()
    ? await ask<Detail>(`/api/v1/owner/decisions/${recordId}?include_archived=true`, { signal }).catch(unlessAbsent)
    : null;
  return own ?? ask<Detail>(`/api/v1/public/decisions/${recordId}`, { signal });
}

function unlessAbsent(error: unknown): null {
  if (!(error instanceof RefusedRequest) || (error.status !== 404 && error.status !== 401)) throw error;
  return null;
}

function showDetail(view: HTMLElement, record: Detail, signal: AbortSignal): string {
  const title = `${instrument(record)}, ${record.direction} over ${horizon(record)}`;
  const isOwn = record.view === 'owner';
  const related = h('div', { class: 'related' });
  fill(
    view,
    crumbs(isOwn, record.record_id),
    h(
      'h1',
      { tabindex: -1 },
      instrument(record),
      h('span', { class: 'stance' }, `${record.direction} over ${horizon(record)}`),
    ),
    h('p', { class: 'lead' }, claim(record)),
    isOwn && !record.outcome && statePart(record),
    ...pathPart(record, signal),
    h(
      'div',
      { class: 'columns' },
      factList('The decision', decisionFacts(record)),
      record.outcome ? factList('The path', outcomeFacts(record, record.outcome)) : null,
    ),
    isOwn ? factList('Shown only to you', ownFacts(record)) : null,
    agentPart(record),
    related,
    proofPart(record, signal),
    origins(record),
  );
  void relatedRecords(related, record, signal);
  return title;
}

function crumbs(isOwn: boolean, recordId: string): HTMLElement {
  const back = isOwn ? h('a', { href: '#/own' }, 'Your decisions') : h('a', { href: '#/atlas' }, 'Atlas');
  return h('p', { class: 'crumbs' }, back, ' / ', h('span', {}, recordId));
}

function factList(title: string, facts: readonly Fact[]): HTMLElement {
  const rows = facts.map(({ name, value, about }) =>
    h('div', {}, h('dt', {}, name), h('dd', {}, value, about ? h('span', { class: 'about' }, about) : null)),
  );
  return h('section', { class: 'facts' }, h('h2', {}, title), h('dl', {}, ...rows));
}

function origins(record: Detail): HTMLElement {
  const { view, record_id, cohort_key, commitment, workflow_ref, created_regime } = record;
  const aboutRegime = 'trend and volatility of the instrument at the anchor of the decision';
  const json = view === 'owner' ? `/api/v1/owner/decisions/${record_id}` : `/api/v1/public/decisions/${record_id}`;
  return h(
    'details',
    { class: 'origins' },
    h('summary', {}, 'Identifiers'),
    factList('', [
      { name: 'Record', value: record_id },
      { name: 'Cohort', value: cohort_key },
      ...(created_regime ? [{ name: 'Regime', value: created_regime, about: aboutRegime }] : []),
      ...(workflow_ref ? [{ name: 'Workflow', value: workflow_ref }] : []),
      {
        name: 'Commitment',
        value: commitment,
        about: 'SHA-256 of the decision and its time: the owner can reveal it, and it cannot be changed',
      },
    ]),
    h('p', {}, h('a', { href: json }, 'The record as JSON')),
  );
}

function showRefusal(view: HTMLElement, { rest: recordId, signal, again }: Visit, error: unknown): string {
  const { status, message, suggestion } =
    error instanceof RefusedRequest
      ? error
      : new RefusedRequest({
          status: -1,
          message: 'The record could not be shown.',
          suggestion: 'Load the page again.',
        });
  const title = status === 404 ? 'Not a public record' : 'No record to show';
  const absent =
    'Either no record has this id, or it is not public: a record is public only once it is evaluated. Its owner sees it after signing in.';
  const reason =
    status === 404 || status === 400
      ? h('p', { class: 'notice' }, status === 404 ? absent : `${message} ${suggestion}`)
      : refusedState(error, 'Could not read the record.', { retry: again, signal });
  fill(
    view,
    crumbs(false, recordId.slice(0, 40)),
    h('h1', { tabindex: -1 }, title),
    reason,
    h('p', {}, h('a', { href: '#/atlas' }, 'Back to the atlas'), ' or ', h('a', { href: '#/own' }, 'sign in'), '.'),
  );
  return title;
}
