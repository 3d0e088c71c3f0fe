import { RESULT_BUCKETS } from '../../../domain/grading/outcome.ts';
import { Malformed, textOfUtf8 } from '../../../domain/log/encoding.ts';
import { LEAF_STATE, leafAudit } from '../../../domain/log/leaves/leaf-audit.ts';
import { judgeCheckpoint } from '../../../domain/log/notes/checkpoint.ts';
import type { SignedNote } from '../../../domain/log/notes/note.ts';
import { MINUTE, type Millis, rfc3339, SECOND } from '../../../domain/time.ts';
import { allDecisions } from './all-decisions.ts';
import { checkedLog, ed25519Verify, isAudited, policyIn } from './audit.ts';
import { type OpenedDecision, seenCheckpoints, type TimeJudges } from './audit-times.ts';
import { type Draw, sampleOf } from './command.ts';
import { CLOSED_WITHIN } from './decisions-line.ts';
import type { ReadServed } from './read-log.ts';
import {
  boundsAt,
  type CohortReply,
  type CountableDecision,
  cohortName,
  countable,
  countFault,
  differenceOf,
  filterOf,
  isObject,
  isWithheld,
  type RecountBounds,
  recountOf,
} from './recount.ts';
import { type CheckStamps, isTimed, timeFinding } from './time-line.ts';
import { prefixesOfLog, treeOfLog } from './tree-of-log.ts';
import { counted, type Line, line } from './verdict.ts';

/** A reply that is to be counted again. */
export interface AskedCohort {
  readonly reply: CohortReply;
  /** By the clock of this program. */
  readonly askedAt: Millis;
  /** `saved`: somebody else got it before, so who answered did not know that it would be checked. */
  readonly source: 'saved' | 'asked' | 'drawn';
}

export interface RecountMeans {
  readonly served: ReadServed;
  /** The text of a tlog-policy; null for none. */
  readonly policy: string | null;
  readonly stamps: CheckStamps | null;
  /** Asks for the cohort of these parameters; null where the service does not count such a cohort without credentials. */
  readonly ask: (query: string) => Promise<CohortReply | null>;
  /** The newest public decision that is graded for minutes and has no leaf of its outcome yet; null for none. */
  readonly unlogged: () => Promise<string | null>;
  readonly now: () => Millis;
  readonly sleep: (milliseconds: number) => Promise<void>;
  readonly draw: Draw;
  /** Is called before what takes long. */
  readonly begin: (words: string) => void;
}

/** What was graded is in the log by then. */
export const LOGGED_AFTER = 2 * MINUTE;

export interface Recounted {
  readonly lines: readonly Line[];
  /** Whether the leaves are those that were signed, and every cohort that is shown has the counts of the log. */
  readonly isHeld: boolean;
}

/** Counts the cohorts of some replies again, from what the log opens. */
export async function recountCohorts(asked: readonly AskedCohort[], means: RecountMeans): Promise<Recounted> {
  try {
    return await recounted(asked, means);
  } catch (error) {
    if (error instanceof Malformed) return { lines: [line('FAILS', 'form', error.message)], isHeld: false };
    throw error;
  }
}

async function recounted(asked: readonly AskedCohort[], means: RecountMeans): Promise<Recounted> {
  const [withheld, shown] = [true, false].map((is) => asked.filter(({ reply }) => isWithheld(reply) === is));
  const hidden = (withheld ?? []).filter(({ source }) => source !== 'drawn').map(({ reply }) => withheldLine(reply));
  const notChecked = (detail: string) => line('not checked', 'counts', detail);
  if (!shown || shown.length === 0)
    return { lines: hidden.length > 0 ? hidden : [notChecked('no cohort is shown')], isHeld: false };
  await untilLogged(shown, means);
  const first = await openedLog(means);
  if (!first.isSigned) return { lines: first.lines, isHeld: false };
  const judged = shown.map((each) => judgedBy(each, first));
  const wrong = judged.filter(({ fault }) => fault !== null);
  const held = judged.filter(({ fault }) => fault === null);
  const { log, findings } = wrong.length === 0 ? { log: first, findings: [] } : await judgedAgain(wrong, means);
  if (log.newer !== null)
    return {
      lines: [...log.lines, notChecked(`get a newer verifier: this one cannot read ${log.newer}`)],
      isHeld: false,
    };
  const named = held.filter(({ asked: { source } }) => source !== 'drawn').map(heldLine);
  const isHeld = findings.every(({ verdict }) => verdict === 'holds');
  const whole = isHeld ? [summary(shown.length, { held, withheld: withheld?.length ?? 0, log })] : [];
  const lines = [...log.lines, ...named, ...findings, ...hidden, ...whole];
  return { lines, isHeld: isHeld && isAudited(lines) };
}

async function untilLogged(asked: readonly AskedCohort[], { now, sleep, begin }: RecountMeans): Promise<void> {
  const last = Math.max(...asked.map(({ reply, askedAt, source }) => (source === 'saved' ? reply.at : askedAt)));
  const wait = Math.min(LOGGED_AFTER, last + LOGGED_AFTER - now());
  if (wait <= 0) return;
  begin(`Reading the log in ${Math.ceil(wait / SECOND)} s, when it has what was graded until then.`);
  await sleep(wait);
}

interface JudgedCohort {
  readonly asked: AskedCohort;
  readonly bounds: RecountBounds;
  readonly fault: string | null;
}

function judgedBy(asked: AskedCohort, { decisions }: OpenedLog): JudgedCohort {
  const bounds = boundsAt(asked.reply, decisions);
  return { asked, bounds, fault: countFault(asked.reply, bounds) };
}

function heldLine({ asked: { reply }, bounds: { most } }: JudgedCohort): Line {
  const { counts, late, unseen } = most;
  const buckets = RESULT_BUCKETS.map((bucket) => counts.buckets[bucket]).join('/');
  return line('holds', 'counts', `${cohortName(reply)}: ${buckets}, ${lateText({ late, unseen, of: counts.samples })}`);
}

function lateText({
  late,
  unseen,
  of,
}: {
  readonly late: number;
  readonly unseen: number;
  readonly of: number;
}): string {
  if (unseen === 0) return `${late} late`;
  return unseen === of ? 'nobody saw when they were logged' : `${late} late, ${unseen} seen by nobody`;
}

function withheldLine(reply: CohortReply): Line {
  const { suppression } = reply.overview;
  const reason = isObject(suppression) ? `: ${String(suppression.reason)}` : '';
  return line('not checked', 'counts', `${cohortName(reply)}: withheld${reason}`);
}

/**
 * Asks and reads once more: a record that was quarantined or released in between is in one of the two alone. A saved reply
 * stays as it is, so that only as many as the log says were closed or reopened can explain it.
 */
async function judgedAgain(
  wrong: readonly JudgedCohort[],
  means: RecountMeans,
): Promise<{ readonly log: OpenedLog; readonly findings: readonly Line[] }> {
  means.begin(`Asking for ${counted(wrong.length, 'cohort')} once more.`);
  const replies: (AskedCohort | null)[] = [];
  for (const { asked } of wrong) {
    const reply = await means.ask(queryOf(asked.reply.query));
    replies.push(reply && { reply, askedAt: means.now(), source: 'asked' });
  }
  await untilLogged(
    replies.flatMap((each) => each ?? []),
    means,
  );
  const log = await openedLog(means);
  const unlogged = await means.unlogged();
  const findings = wrong.map(({ asked }, i): Line => {
    const reply = replies[i] ?? null;
    const isFresh = reply !== null && !isWithheld(reply.reply);
    const fresh = isFresh ? judgedBy(reply, log) : null;
    const before = judgedBy(asked, log);
    const isSaved = asked.source === 'saved';
    if (fresh && fresh.fault !== null) return faultLine(isSaved && before.fault !== null ? before : fresh, unlogged);
    if (isSaved) return savedLine(before, log, means.now());
    return fresh
      ? heldLine(fresh)
      : line('not checked', 'counts', `${cohortName(asked.reply)}: withheld since it was asked for`);
  });
  return { log, findings };
}

/** @param unlogged a decision that the service counts before the log has it */
function faultLine({ asked: { reply }, bounds, fault }: JudgedCohort, unlogged: string | null): Line {
  const detail = `${cohortName(reply)}: ${fault ?? ''}`;
  if (unlogged === null || differenceOf(reply, bounds).fewer > 0) return line('FAILS', 'counts', detail);
  return line('not checked', 'counts', `${detail}; the log is paused: ${unlogged} has no leaf of its grade yet`);
}

function savedLine(judged: JudgedCohort, { closed, reopened }: OpenedLog, now: Millis): Line {
  const { asked, bounds, fault } = judged;
  if (fault === null) return heldLine(judged);
  const detail = `${cohortName(asked.reply)}: ${fault}`;
  const { more, fewer } = differenceOf(asked.reply, bounds);
  const known = asked.reply.at + CLOSED_WITHIN * SECOND;
  if (now < known) {
    const until = `leaves say until ${rfc3339(known)} what was quarantined or released since: count it again then`;
    return line('not checked', 'counts', `${detail}; ${until}`);
  }
  const isExplained = more + fewer > 0 && more <= closed && fewer <= reopened;
  if (!isExplained) return line('FAILS', 'counts', detail);
  const since = `${closed} were closed after a grade, and ${reopened} came back, which may explain it`;
  return line('not checked', 'counts', `${detail}; ${since}`);
}

function summary(
  shown: number,
  {
    held,
    withheld,
    log,
  }: { readonly held: readonly JudgedCohort[]; readonly withheld: number; readonly log: OpenedLog },
): Line {
  const [late, unseen] = [true, null].map((is) => log.decisions.filter(({ isLate }) => isLate === is).length);
  const of = log.decisions.length;
  const isPartial = held.some(({ bounds: { most } }) => most.windows === null);
  const detail = [
    `${shown} of ${shown} cohorts are what the log has`,
    ...(withheld > 0 ? [`${withheld} withheld`] : []),
    ...(isPartial ? ['windows of eval/1 and of very large cohorts are not checked'] : []),
    `of all ${of} public decisions ${lateText({ late: late ?? 0, unseen: unseen ?? 0, of })}`,
  ];
  return line('holds', 'counts', detail.join('; '));
}

/** The parameters by which a public cohort is asked for again, in the order of their names. */
export function queryOf(query: CohortReply['query']): string {
  const members = Object.entries(query).filter(([name]) => !['sort', 'limit'].includes(name));
  const parameters = new URLSearchParams(Object.fromEntries(members.map(([name, value]) => [name, String(value)])));
  parameters.sort();
  return parameters.toString();
}

/** What a log has of the decisions that are public now. */
export interface OpenedLog {
  readonly lines: readonly Line[];
  /** Whether these leaves are those that were signed. */
  readonly isSigned: boolean;
  readonly decisions: readonly CountableDecision[];
  /** A record with a statement or outcome of a later version, which is not counted; null for none. */
  readonly newer: string | null;
  /** How many are closed after a grade. */
  readonly closed: number;
  /** How often one came back. */
  readonly reopened: number;
}

/** Reads the whole log, and all that it opens. */
export async function openedLog({ served, policy, stamps, begin, now }: RecountMeans): Promise<OpenedLog> {
  const trusted = policyIn(policy);
  let reopened = 0;
  const { lines, head, states, isSigned } = await checkedLog(served, trusted, (leaf) => {
    if (textOfUtf8(leaf).includes('"t":"reopened"')) reopened += 1;
  });
  const audit = leafAudit(states);
  const closed = [...states.keys()].filter((index) => audit.stateOf(index) === LEAF_STATE.closedGraded).length;
  const decisions: CountableDecision[] = [];
  if (!isSigned) return { lines, isSigned, decisions, newer: null, closed, reopened };
  const trustOf = (note: SignedNote) => judgeCheckpoint(note, trusted, ed25519Verify);
  const startsWith = prefixesOfLog(served, head);
  const late = latenessOf({ trustOf, stamps, reads: [], size: head.size, startsWith });
  let newer: string | null = null;
  const opened = await allDecisions(
    { served, hasLeaf: treeOfLog(served, head), states },
    late.add,
    { before: new Map(), now: Math.floor(now() / SECOND) },
    {
      begin: (bundles) => begin(`Opening what is public of ${head.size} leaves, in ${counted(bundles, 'request')}.`),
      graded({ public_statement }, { public_outcome }) {
        if (public_statement.v !== 1 || public_outcome.v !== 1) newer = public_statement.record_id;
        else decisions.push(countable(public_statement, public_outcome, late.of(public_statement.record_id)));
      },
    },
  );
  return { lines: [...lines, ...opened.lines], isSigned, decisions, newer, closed, reopened };
}

/** Whether decisions were late, by their records; null where nobody says. */
function latenessOf(judges: TimeJudges) {
  const seen = seenCheckpoints(judges);
  const known = new Map<string, boolean | null>();
  return {
    of: (record_id: string) => known.get(record_id) ?? null,
    async add({ opening, proof }: OpenedDecision): Promise<void> {
      const { record_id } = opening.public_statement;
      if (!isTimed(opening)) return void known.set(record_id, false);
      const { quorum, timestamp } = await seen(opening, proof);
      try {
        const { kind } = timeFinding(opening, { quorum, timestamp, index: proof.index, reads: [] });
        known.set(record_id, kind === 'nobody' || kind === 'imported' ? null : kind === 'late');
      } catch {
        throw new Malformed(`the statement of ${record_id} has no possible window`);
      }
    },
  };
}

/** The filters of cohorts that are drawn, in addition to the market. */
const KINDS = [
  [],
  ['direction'],
  ['symbol'],
  ['symbol', 'direction'],
  ['symbol', 'venue'],
  ['horizon_kind', 'horizon_value'],
  ['symbol', 'period'],
] as const;

/**
 * Asks for cohorts that it draws: of some kind of filters those of a random decision, so that a cohort with twice as many
 * decisions is drawn twice as often. Those with fewer decisions than the service shows are not asked for.
 */
export async function drawnCohorts(wanted: number, means: RecountMeans): Promise<readonly AskedCohort[]> {
  const { decisions } = await openedLog(means);
  const asked: AskedCohort[] = [];
  const drawn = new Set<string>();
  let least = 1;
  means.begin(`Asking for ${counted(wanted, 'cohort')}, as fast as the service answers.`);
  for (let draws = 0; draws < DRAWS_OF_ONE * wanted && decisions.length > 0; draws += 1) {
    if (asked.filter(({ reply }) => !isWithheld(reply)).length >= wanted || asked.length >= 2 * wanted) break;
    const query = drawnQuery(decisions, means.draw);
    const text = queryOf(query);
    if (drawn.has(text)) continue;
    drawn.add(text);
    if (recountOf(filterOf({ query }), decisions).counts.samples < least) continue;
    const reply = await means.ask(text);
    if (!reply) throw new Malformed('the service shows no cohorts without credentials');
    if (queryOf(reply.query) !== text) throw new Malformed(`asked for ${text}, it counted ${queryOf(reply.query)}`);
    asked.push({ reply, askedAt: means.now(), source: 'drawn' });
    const { suppression } = reply.overview;
    if (isObject(suppression)) least = Number(suppression.min_samples);
  }
  return asked;
}

/** Until it gives up: a small log has few cohorts. */
const DRAWS_OF_ONE = 40;

function drawnQuery(decisions: readonly CountableDecision[], draw: Draw): CohortReply['query'] {
  const [decision] = sampleOf(decisions, 1, draw);
  const [kind = []] = sampleOf<readonly (typeof KINDS)[number][number][]>(KINDS, 1, draw);
  if (!decision) throw new RangeError('There are decisions to draw from.');
  const { judged } = decision;
  const values = { ...judged, period: judged.data_cutoff.toISOString().slice(0, 'YYYY-MM'.length) };
  const include_retroactive = judged.submission_origin === 'retroactive' || draw(2) === 1;
  return {
    market: judged.market,
    ...Object.fromEntries(kind.map((name) => [name, values[name]])),
    include_retroactive,
  };
}
