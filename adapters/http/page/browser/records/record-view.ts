import { ask } from '../kit/ask.ts';
import { attempt } from '../kit/dialogs.ts';
import { button, type Child, factList, fill, h, refill, statedVenues } from '../kit/elements.ts';
import type { Visit } from '../kit/forms.ts';
import { onEvents } from '../kit/live-events.ts';
import { type ProofFile, proofParts } from '../kit/proof-files.ts';
import { RefusedRequest } from '../kit/refused-request.ts';
import { isSignedIn } from '../kit/session-hint.ts';
import { type Reading, showNewest, showReading } from '../kit/states.ts';
import { claim, type Fact, facts, horizon, instant, instrument } from '../kit/value-texts.ts';
import type { Detail, Factor, Input, Note, WireOwnerDetail } from '../kit/wire.ts';
import { pathPart } from './path-part.ts';
import { decisionFacts, metaText, outcomeFacts, ownFacts, whatToDo, withoutOutcomeWords } from './record-facts.ts';
import { relatedRecords } from './related-records.ts';
import { statedPart } from './stated-part.ts';

const ABOUT =
  'The evidence log contains this decision and its grade. Verified here, the files fit together; that nobody rewrote the log is shown only by a policy from somebody else, and offline.';

const RECORD_ID = /^dec_\d{8}_[0-9a-f]{8}$/;

/** The head of the view, which stays while the rest is read again. */
interface Head {
  readonly crumbs: HTMLElement;
  readonly heading: HTMLElement;
}

/** Shows one decision in the view; returns its title. */
export async function show(view: HTMLElement, { rest: recordId, signal, rename }: Visit): Promise<string> {
  const box = h('div');
  const head = { crumbs: h('p', { class: 'crumbs' }), heading: h('h1', { tabindex: -1 }) };
  let title = fillHead(head, NO_RECORD, recordId);
  fill(view, box);
  // Moving the heading again would take the focus from it.
  const showHead = () => head.heading.isConnected || view.prepend(head.crumbs, head.heading);
  const proof = proofOf(signal);
  const reading = (): Reading<Detail | RefusedRequest> => ({
    what: 'the record',
    read: () => readRecord(recordId, signal).catch(ifAbsent),
    show(record) {
      showHead();
      const isAbsent = record instanceof RefusedRequest;
      title = isAbsent ? fillHead(head, absentTitle(record), recordId) : fillDetailHead(head, record);
      rename(title);
      return isAbsent ? absence(record) : detailParts(record, proof(record), signal);
    },
  });
  await showReading(box, signal, reading());
  showHead();
  // A refusal is no answer that replaces a record.
  const reread = () => void showNewest(box, signal, { ...reading(), read: () => readRecord(recordId, signal) });
  onEvents(signal, {
    happened: (events) => events.some(({ data }) => 'record_id' in data && data.record_id === recordId) && reread(),
    missed: () => reread(),
  });
  return title;
}

/** Reads the whole record for its owner, else the public form of a public record. */
async function readRecord(recordId: string, signal: AbortSignal): Promise<Detail> {
  if (!RECORD_ID.test(recordId))
    throw new RefusedRequest({
      status: 400,
      message: 'This is not the id of a record.',
      suggestion: 'Ids look like dec_20260130_5c0ffee5.',
    });
  const own = isSignedIn()
    ? await ask<Detail>(`/api/v1/owner/decisions/${recordId}?include_archived=true`, { signal }).catch(unlessAbsent)
    : null;
  return own ?? ask<Detail>(`/api/v1/public/decisions/${recordId}`, { signal });
}

function unlessAbsent(error: unknown): null {
  if (!(error instanceof RefusedRequest) || (error.status !== 404 && error.status !== 401)) throw error;
  return null;
}

/** That there is no such record for the reader is an answer, too. */
function ifAbsent(error: unknown): RefusedRequest {
  if (error instanceof RefusedRequest && (error.status === 404 || error.status === 400)) return error;
  throw error;
}

function fillDetailHead({ crumbs, heading }: Head, record: Detail): string {
  const back =
    record.view === 'owner'
      ? h('a', { id: 'crumb', href: '#/own' }, 'Your decisions')
      : h('a', { id: 'crumb', href: '#/atlas' }, 'Atlas');
  const stance = `${record.direction} over ${horizon(record)}`;
  refill(crumbs, back, ' / ', h('span', {}, record.record_id));
  fill(heading, instrument(record), h('span', { class: 'stance' }, stance));
  return `${instrument(record)}, ${stance}`;
}

const NO_RECORD = 'No record to show';

function fillHead({ crumbs, heading }: Head, title: string, recordId: string): string {
  fill(crumbs, h('a', { href: '#/atlas' }, 'Atlas'), ' / ', h('span', {}, recordId.slice(0, 40)));
  fill(heading, title);
  return title;
}

type Proof = ReturnType<typeof proofParts> | null;

function detailParts(record: Detail, proof: Proof, signal: AbortSignal): readonly Child[] {
  const isOwn = record.view === 'owner';
  const related = h('div', { class: 'related' });
  void relatedRecords(related, record, signal);
  return [
    proof?.badge ?? h('div', { class: 'badge' }, statedPart(record, signal)),
    h('p', { class: 'lead' }, claim(record)),
    record.fault ? h('p', { class: 'notice' }, record.fault.message) : null,
    isOwn && !record.outcome && !record.fault?.parts.includes('outcome') && statePart(record),
    ...pathPart(record, signal),
    h(
      'div',
      { class: 'columns' },
      factSection('The decision', decisionFacts(record, statedVenues().get(record.venue))),
      record.outcome ? factSection('The path', outcomeFacts(record, record.outcome)) : null,
    ),
    isOwn ? factSection('Shown only to you', ownFacts(record)) : null,
    agentPart(record),
    isOwn && notesPart(record),
    related,
    proof?.section,
    origins(record),
  ];
}

function factSection(title: string, shown: readonly Fact[]): HTMLElement {
  return h('section', { class: 'facts' }, h('h2', {}, title), factList(shown));
}

const ABOUT_REGIME = 'trend and volatility of the instrument when the window begins';

const ABOUT_COMMITMENT = 'SHA-256 of the decision and its time: the owner can reveal it, and it cannot be changed';

function origins(record: Detail): HTMLElement {
  const { view, record_id, cohort_key, commitment, workflow_ref, created_regime } = record;
  const json = view === 'owner' ? `/api/v1/owner/decisions/${record_id}` : `/api/v1/public/decisions/${record_id}`;
  return h(
    'details',
    { class: 'origins' },
    h('summary', {}, 'Identifiers'),
    factList(
      facts(
        ['Record', record_id],
        ['Cohort', cohort_key],
        created_regime && ['Regime', created_regime, ABOUT_REGIME],
        workflow_ref && ['Workflow', workflow_ref],
        ['Commitment', commitment ?? 'It cannot be read', ABOUT_COMMITMENT],
      ),
    ),
    h('p', {}, h('a', { href: json }, 'The record as JSON')),
  );
}

function absentTitle({ status }: RefusedRequest): string {
  return status === 404 ? 'Not a public record' : NO_RECORD;
}

const ABSENT =
  'Either no record has this id, or it is not public: a record is public only once it is evaluated. Its owner sees it after signing in.';

function absence({ status, message, suggestion }: RefusedRequest): readonly Child[] {
  return [
    h('p', { class: 'notice' }, status === 404 ? ABSENT : `${message} ${suggestion}`),
    h('p', {}, h('a', { href: '#/atlas' }, 'Back to the atlas'), ' or ', h('a', { href: '#/own' }, 'sign in'), '.'),
  ];
}

/** Why an own decision has no outcome, when the service tries again, and what its owner can do. */
function statePart(record: WireOwnerDetail): HTMLElement {
  const { lifecycle_state, evaluation } = record;
  const advice = whatToDo(lifecycle_state, evaluation.last_error);
  return h(
    'div',
    { class: 'notice' },
    h('p', {}, withoutOutcomeWords(record)),
    advice !== null && h('p', {}, h('b', {}, 'What to do: '), advice),
  );
}

/**
 * The receipts or the public proofs of a decision; null where the log does not show the decision. They are the same
 * parts, with what was verified, as long as the log says the same.
 */
function proofOf(signal: AbortSignal): (record: Detail) => Proof {
  let made: { readonly of: string; readonly parts: Proof } | undefined;
  return (record) => {
    if (record.log === null) return null;
    const files = filesOf(record, record.log.outcome_index !== null);
    const of = JSON.stringify([record.log, files]);
    if (made?.of !== of)
      made = { of, parts: proofParts({ about: ABOUT, files, signal, stated: statedPart(record, signal) }) };
    return made.parts;
  };
}

function filesOf({ view, record_id }: Detail, isGradeLogged: boolean): readonly ProofFile[] {
  const isOwn = view === 'owner';
  const path = isOwn
    ? `/api/v1/agent/decisions/${record_id}/receipt?opening=full`
    : `/api/v1/public/decisions/${record_id}/proof`;
  const decision = isOwn
    ? { name: 'receipt', words: 'the receipt of the decision, with all that only you see', path }
    : { name: 'proof', words: 'the proof of the decision', path };
  const grade = isOwn
    ? { name: 'grade', words: 'the receipt of the grade, with its bars', path: `${path}&leaf=outcome` }
    : { name: 'grade', words: 'the proof of the grade', path: `${path}?leaf=outcome` };
  return isGradeLogged ? [decision, grade] : [decision];
}

/** The agent's own words: the summary, inputs and `meta` for its owner, the key factors for everybody. */
function agentPart(record: Detail): HTMLElement | null {
  const isOwn = record.view === 'owner';
  const summary = isOwn ? record.summary : null;
  const meta = isOwn ? metaText(record) : null;
  const inputs = isOwn ? (record.inputs ?? []) : [];
  const { key_factors: factors } = record;
  if (summary === null && meta === null && inputs.length + factors.length === 0) return null;
  return h(
    'section',
    { class: 'facts words' },
    h('h2', {}, 'In the words of the agent'),
    summary !== null && h('p', { class: 'summary' }, summary),
    factors.length > 0 && h('h3', {}, 'Key factors'),
    factors.length > 0 && h('ul', { class: 'factors' }, ...factors.map(factorItem)),
    inputs.length > 0 && h('h3', {}, 'Inputs, by their SHA-256'),
    inputs.length > 0 && h('ul', { class: 'inputs' }, ...inputs.map(inputItem)),
    meta !== null && h('h3', {}, 'meta, as it was sent'),
    // Long lines scroll, so the keyboard has to reach them.
    meta !== null && h('pre', { class: 'meta', tabindex: 0, role: 'region', 'aria-label': 'meta' }, meta),
  );
}

/** What the agent learned from the outcome: no part of what it stated. */
function notesPart({ record_id, notes }: WireOwnerDetail): HTMLElement | null {
  if (notes.length === 0) return null;
  return h(
    'section',
    { class: 'facts words' },
    h('h2', {}, 'Written after the outcome'),
    h('p', {}, 'Notes of the agent. They are no part of the statement, and nobody else sees them.'),
    h('ul', { class: 'factors' }, ...notes.map((note) => noteItem(record_id, note))),
  );
}

function noteItem(recordId: string, { number, text, written_at }: Note): HTMLElement {
  const item = h('li', { tabindex: -1 });
  const about = h('span', { class: 'about' }, `note ${number}, ${instant(written_at)}`);
  const showEmpty = () => fill(item, 'Emptied', about);
  const empty = async () => {
    const path = `/api/v1/owner/decisions/${recordId}/notes/${number}`;
    const isDone = await attempt(
      'The note is not emptied',
      'The note is empty.',
      () => ask(path, { method: 'DELETE' }),
      {
        title: `Empty note ${number}?`,
        words: ['Its text goes for good: agents do not read it any more. Its number and its time stay.'],
        action: 'Empty the note',
      },
    );
    if (!isDone) return;
    showEmpty();
    item.focus();
  };
  if (text === null) showEmpty();
  else
    fill(
      item,
      h('span', { class: 'summary' }, text),
      about,
      button('Empty', empty, { 'aria-label': `Empty note ${number}` }),
    );
  return item;
}

function inputItem({ kind, name, sha256 }: Input): HTMLElement {
  return h('li', {}, `${kind}: ${name}`, h('code', { class: 'about' }, sha256));
}

function factorItem({ factor, dimension, direction, metric }: Factor): HTMLElement {
  const measured = metric && `${metric.name} ${metric.value}${metric.unit ? ` ${metric.unit}` : ''}`;
  const note = [dimension, direction, measured].filter(Boolean).join(', ');
  return h('li', {}, factor, note ? h('span', { class: 'about' }, note) : null);
}
