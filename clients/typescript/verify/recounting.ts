import { RESULT_BUCKETS } from '../../../domain/grading/outcome.ts';
import { Malformed } from '../../../domain/log/encoding.ts';
import { type Millis, rfc3339, SECOND } from '../../../domain/time.ts';
import {
  type AskedCohort,
  type AskMeans,
  driftLine,
  notChecked,
  refusalLine,
  type SortedReplies,
  sortedReplies,
} from './asked-cohorts.ts';
import { isAudited } from './audit.ts';
import { CLOSED_WITHIN } from './decisions-line.ts';
import { bookOf } from './named-decisions.ts';
import { LOGGED_AFTER, type OpenedLog, type OpenMeans, openedLog } from './opened-log.ts';
import {
  boundsAt,
  type CohortReply,
  cohortName,
  countFault,
  differenceOf,
  isObject,
  isWithheld,
  queryOf,
  type RecountBounds,
} from './recount.ts';
import { counted, type Line, line } from './verdict.ts';

/** What cohorts were drawn from, and how many were wanted. */
export interface DrawnFrom {
  readonly log: OpenedLog;
  readonly wanted: number;
}

export interface RecountMeans extends AskMeans, OpenMeans {
  /** The newest public decision that is graded for minutes and has no leaf of its outcome yet; null for none. */
  readonly unlogged: () => Promise<string | null>;
  readonly sleep: (milliseconds: number) => Promise<void>;
}

export interface Recounted {
  readonly lines: readonly Line[];
  /** Whether the leaves are those that were signed, and every cohort that is shown has the counts of the log. */
  readonly isHeld: boolean;
}

/** Counts the cohorts of some replies again, from what the log opens. @param drawn null where none was drawn */
export async function recountCohorts(
  asked: readonly AskedCohort[],
  means: RecountMeans,
  drawn: DrawnFrom | null = null,
): Promise<Recounted> {
  try {
    return await recounted(asked, means, drawn);
  } catch (error) {
    if (error instanceof Malformed) return { lines: [line('FAILS', 'form', error.message)], isHeld: false };
    throw error;
  }
}

async function recounted(
  asked: readonly AskedCohort[],
  means: RecountMeans,
  drawn: DrawnFrom | null,
): Promise<Recounted> {
  if (drawn && !drawn.log.isSigned) return { lines: drawn.log.lines, isHeld: false };
  const book = bookOf(await means.names());
  const { shown, withheld, refused: wrong } = sortedReplies(asked, means.now(), book);
  const hidden = withheld.filter(({ source }) => source !== 'drawn').map(({ reply }) => withheldLine(reply));
  if (shown.length === 0)
    return {
      lines:
        wrong.length + hidden.length > 0
          ? [...wrong, ...hidden]
          : [notChecked(`no cohort is shown, ${withheld.length} withheld`)],
      isHeld: false,
    };
  await untilLogged(shown, means);
  const drift = await driftLine(shown, means);
  const refused = drift ? [...wrong, drift] : wrong;
  const others = [...refused, ...hidden];
  const first = await openedLog(means);
  if (!first.isSigned) return { lines: [...first.lines, ...refused], isHeld: false };
  return countedBy(first, { shown, withheld, refused, others }, means, drawn);
}

interface Sorted extends SortedReplies {
  /** The lines of those that are not counted. */
  readonly others: readonly Line[];
}

async function countedBy(
  first: OpenedLog,
  { shown, withheld, refused, others }: Sorted,
  means: RecountMeans,
  drawn: DrawnFrom | null,
): Promise<Recounted> {
  const judged = shown.map((each) => judgedBy(each, first));
  const wrong = judged.filter(({ fault }) => fault !== null);
  const held = judged.filter(({ fault }) => fault === null);
  const again = { before: drawn?.log ?? null, first };
  const { log, findings } = wrong.length === 0 ? { log: first, findings: [] } : await judgedAgain(wrong, again, means);
  if (log.newer !== null) {
    const newer = notChecked(`get a newer verifier: this one cannot read ${log.newer}`);
    return { lines: [...log.lines, ...others, newer], isHeld: false };
  }
  const named = held.filter(({ asked: { source } }) => source !== 'drawn').map((each) => heldLine(each, first));
  const areRight = refused.length === 0 && findings.every(({ verdict }) => verdict === 'holds');
  const counts = { held, withheld: withheld.length, wanted: drawn?.wanted ?? 0, missing: first.missing, log };
  const whole = areRight ? [summary(shown.length, counts)] : [];
  const lines = [...log.lines, ...named, ...findings, ...others, ...whole];
  return { lines, isHeld: whole.some(({ verdict }) => verdict === 'holds') && isAudited(lines) };
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

function judgedBy(asked: AskedCohort, log: OpenedLog): JudgedCohort {
  const { certain, possible } = log.at(asked.reply.at, asked.source === 'saved');
  const bounds = boundsAt(asked.reply, certain, possible);
  return { asked, bounds, fault: countFault(asked.reply, bounds) };
}

/** The counts as its reply shows them, or decisions that the same log opens at two times may explain. */
function judgedBetween(asked: AskedCohort, before: OpenedLog, after: OpenedLog): JudgedCohort {
  const judged = judgedBy(asked, after);
  if (judged.fault === null) return judged;
  const [earlier, now] = [before, after].map((log) => log.at(asked.reply.at, asked.source === 'saved'));
  const [known, later] = [earlier, now].map((log) => new Set(log?.possible.map(({ record_id }) => record_id)));
  // What was graded since the first reading began is certain too: its leaf came later.
  const certain = (now?.certain ?? []).filter(
    ({ record_id, judged: { evaluated_at } }) =>
      known?.has(record_id) || Number(evaluated_at) > before.begunAt - LOGGED_AFTER,
  );
  const gone = (earlier?.possible ?? []).filter(({ record_id }) => !later?.has(record_id));
  const fault = countFault(asked.reply, boundsAt(asked.reply, certain, [...(now?.possible ?? []), ...gone]));
  return { ...judged, fault: fault && judged.fault };
}

/** A saved reply says its minute itself. */
function nameOf({ reply, source }: AskedCohort): string {
  return source === 'saved' ? `${cohortName(reply)} at ${rfc3339(reply.at)} by its Date` : cohortName(reply);
}

/** @param log by which it was judged */
function heldLine({ asked, bounds: { most } }: JudgedCohort, { missing }: OpenedLog): Line {
  const { counts, late, unseen } = most;
  const buckets = RESULT_BUCKETS.map((bucket) => counts.buckets[bucket]).join('/');
  const text = `${nameOf(asked)}: ${buckets}, ${lateText({ late, unseen, of: counts.samples })}`;
  return missing === 0 ? line('holds', 'counts', text) : notChecked(`${text}; ${missingText(missing)}`);
}

/** Nobody knows of what cohort a decision is that is not opened. */
function missingText(missing: number): string {
  return `${counted(missing, 'graded one is', 'graded ones are')} not shown, of whatever cohort`;
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
 * @param before a reading of before the replies; null for none @param first that of after them
 */
async function judgedAgain(
  wrong: readonly JudgedCohort[],
  { before, first }: { readonly before: OpenedLog | null; readonly first: OpenedLog },
  means: RecountMeans,
): Promise<{ readonly log: OpenedLog; readonly findings: readonly Line[] }> {
  means.begin(`Asking for ${counted(wrong.length, 'cohort')} once more.`);
  const replies: (AskedCohort | null)[] = [];
  for (const { asked } of wrong) {
    const query = queryOf(asked.reply.query);
    const reply = await means.ask(query);
    replies.push(reply && { reply, askedAt: means.now(), query, source: 'asked' });
  }
  const sent = replies.flatMap((each) => each ?? []);
  await untilLogged(sent, means);
  const log = await openedLog(means);
  const readings = { before, first, log, now: means.now(), unlogged: await means.unlogged() };
  return { log, findings: wrong.map((judged, i) => secondLine(judged, replies[i] ?? null, readings)) };
}

interface Readings {
  readonly before: OpenedLog | null;
  readonly first: OpenedLog;
  /** That of after the second replies. */
  readonly log: OpenedLog;
  readonly now: Millis;
  /** A decision that the service counts before the log has it. */
  readonly unlogged: string | null;
}

/** What a second reply says of a first one that is wrong. @param reply null where none was sent */
function secondLine(judged: JudgedCohort, reply: AskedCohort | null, readings: Readings): Line {
  const { before, first, log, now, unlogged } = readings;
  const refusal = reply && refusalLine(reply, now, log.book);
  if (refusal) return refusal;
  const isSaved = judged.asked.source === 'saved';
  const old = judgedBy(judged.asked, log);
  const fresh = reply && !isWithheld(reply.reply) ? judgedBetween(reply, first, log) : null;
  if (fresh && fresh.fault !== null) return faultLine(isSaved && old.fault !== null ? old : fresh, unlogged);
  if (isSaved) return savedLine(old, log, now);
  if (!fresh) return notChecked(`${cohortName(judged.asked.reply)}: ${judged.fault}; withheld when asked once more`);
  const areWhole = before?.missing === 0 && first.missing === 0 && countFault(fresh.asked.reply, fresh.bounds) === null;
  const isExplained = areWhole && judgedBetween(judged.asked, before, first).fault === null;
  return isExplained ? heldLine(fresh, log) : changedLine(judged, fresh);
}

/** Who answers the first time alone with other counts is not confirmed by the second time. */
function changedLine({ asked, fault }: JudgedCohort, { asked: second }: JudgedCohort): Line {
  const [before, after] = [asked, second].map(({ reply }) => bucketsOf(reply));
  const change = before === after ? `first ${fault}, then not` : `first shown ${before}, then ${after}`;
  const advice = 'leaves say within a day what was quarantined or released: audit the log then';
  return notChecked(`${cohortName(asked.reply)}: ${change}; ${advice}`);
}

function bucketsOf({ overview: { result_distribution: shown } }: CohortReply): string {
  return RESULT_BUCKETS.map((bucket) => String(isObject(shown) ? shown[bucket] : undefined)).join('/');
}

/** @param unlogged a decision that the service counts before the log has it */
function faultLine({ asked, bounds, fault }: JudgedCohort, unlogged: string | null): Line {
  const detail = `${nameOf(asked)}: ${fault ?? ''}`;
  if (unlogged === null || differenceOf(asked.reply, bounds).fewer > 0) return line('FAILS', 'counts', detail);
  return line('not checked', 'counts', `${detail}; the log is paused: ${unlogged} has no leaf of its grade yet`);
}

function savedLine(judged: JudgedCohort, log: OpenedLog, now: Millis): Line {
  const { asked, bounds, fault } = judged;
  if (fault === null) return heldLine(judged, log);
  const detail = `${nameOf(asked)}: ${fault}`;
  const { more, fewer } = differenceOf(asked.reply, bounds);
  const known = asked.reply.at + CLOSED_WITHIN * SECOND;
  if (now < known) {
    const until = `leaves say until ${rfc3339(known)} what was quarantined or released since: count it again then`;
    return notChecked(`${detail}; ${until}`);
  }
  const { closed, reopened } = log;
  const isExplained = more + fewer > 0 && more <= closed && fewer <= reopened;
  if (!isExplained) return line('FAILS', 'counts', detail);
  return notChecked(`${detail}; ${closed} were closed after a grade, and ${reopened} came back, which may explain it`);
}

interface Summarised {
  readonly held: readonly JudgedCohort[];
  readonly withheld: number;
  /** How many should be shown at least. */
  readonly wanted: number;
  readonly log: OpenedLog;
  /** Of the reading by which most were judged. */
  readonly missing: number;
}

function summary(shown: number, { held, withheld, wanted, log, missing }: Summarised): Line {
  const [late, unseen] = [true, null].map((is) => log.decisions.filter(({ isLate }) => isLate === is).length);
  const of = log.decisions.length;
  const isPartial = held.some(({ bounds: { most } }) => most.windows === null);
  const doubts = [
    ...(missing > 0 ? [missingText(missing)] : []),
    ...(shown < wanted ? [`${wanted} were wanted: --sample ${shown} asks for fewer, and a query for the largest`] : []),
  ];
  const detail = [
    `${shown} of ${shown} cohorts are what the log has`,
    ...(withheld > 0 ? [`${withheld} withheld`] : []),
    ...doubts,
    `of all ${of} public decisions ${lateText({ late: late ?? 0, unseen: unseen ?? 0, of })}`,
    `not checked: ${isPartial ? 'windows of eval/1 and of very large cohorts, ' : ''}${UNCHECKED}`,
  ];
  return line(doubts.length === 0 ? 'holds' : 'not checked', 'counts', detail.join('; '));
}

/** No leaf says who the owner of a decision is, or why one has no grade. */
const UNCHECKED = 'largest_owner_share, ungraded, and which are called suspected';
