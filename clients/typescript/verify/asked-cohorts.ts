import type { NameBook } from '../../../domain/market/name-book.ts';
import { MINUTE, type Millis, rfc3339, SECOND } from '../../../domain/time.ts';
import { type Draw, sampleOf } from './command.ts';
import {
  type CohortReply,
  type CountableDecision,
  cohortName,
  filterOf,
  isObject,
  isWithheld,
  NeedsNewerVerifier,
  queryFault,
  queryOf,
  recountOf,
  savedReply,
} from './recount.ts';
import { counted, type Line, line } from './verdict.ts';

/** A reply that is to be counted again. */
export interface AskedCohort {
  readonly reply: CohortReply;
  /** By the clock of this program. */
  readonly askedAt: Millis;
  /** The parameters that were sent; null where somebody else sent them. */
  readonly query: string | null;
  /** `saved`: somebody else got it before, so who answered did not know that it would be checked. */
  readonly source: 'saved' | 'asked' | 'drawn';
}

/** How cohorts are asked for. */
export interface AskMeans {
  /** Asks for the cohort of these parameters; null where the service does not count such a cohort without credentials. */
  readonly ask: (query: string) => Promise<CohortReply | null>;
  readonly now: () => Millis;
  readonly draw: Draw;
  /** Is called before what takes long. */
  readonly begin: (words: string) => void;
}

export const notChecked = (detail: string) => line('not checked', 'counts', detail);

export interface SortedReplies {
  readonly shown: readonly AskedCohort[];
  readonly withheld: readonly AskedCohort[];
  /** What is wrong with the others. */
  readonly refused: readonly Line[];
}

export function sortedReplies(asked: readonly AskedCohort[], now: Millis, book: NameBook): SortedReplies {
  const refused: Line[] = [];
  const good = asked.filter((each) => {
    const refusal = refusalLine(each, now, book);
    if (refusal) refused.push(refusal);
    return !refusal;
  });
  const [withheld = [], shown = []] = [true, false].map((is) => good.filter(({ reply }) => isWithheld(reply) === is));
  return { shown, withheld, refused };
}

/** What is wrong with a reply, whatever the log has; null for nothing. */
export function refusalLine(asked: AskedCohort, now: Millis, book: NameBook): Line | null {
  const { reply, query, source } = asked;
  const fault = (query === null ? null : queryFault(query, reply, book)) ?? dateFault(asked, now);
  if (fault !== null) return line('FAILS', 'counts', source === 'saved' ? `${cohortName(reply)}: ${fault}` : fault);
  try {
    filterOf(reply);
    return null;
  } catch (error) {
    if (error instanceof NeedsNewerVerifier)
      return notChecked(`get a newer verifier: ${cohortName(reply)}: ${error.message}`);
    throw error;
  }
}

/** Between two clocks, with the minute for which a cache may keep a reply. */
const DATE_LEEWAY = 5 * MINUTE;

/** Who names another minute than that of its answer gets the counts of that minute confirmed. */
function dateFault({ reply: { at }, askedAt, source }: AskedCohort, now: Millis): string | null {
  if (source === 'saved')
    return at > now + DATE_LEEWAY ? `the Date of the reply is in the future: ${rfc3339(at)}` : null;
  if (Math.abs(at - askedAt) <= DATE_LEEWAY) return null;
  return `asked at ${rfc3339(askedAt)} by the clock of this machine, the reply has the Date ${rfc3339(at)}`;
}

/** For the minute that a cache may keep a reply, and half a minute between the clocks of two nodes. */
const DATE_DRIFT = 90 * SECOND;

/**
 * Asks once more, and says whether the Dates of all replies went on as the clock of this machine did; null for a run that asked
 * nothing before. A service that names a minute for good, within the leeway of one Date, counts nothing after it.
 */
export async function driftLine(
  asked: readonly AskedCohort[],
  { ask, now }: Pick<AskMeans, 'ask' | 'now'>,
): Promise<Line | null> {
  const own = asked.filter(({ source }) => source !== 'saved');
  const [first] = own;
  if (!first) return null;
  const name = cohortName(first.reply);
  const again = await ask(first.query ?? queryOf(first.reply.query));
  if (!again) return notChecked(`${name}: not answered when asked once more for the Date`);
  const dates = [...own, { askedAt: now(), reply: again }].map(({ askedAt, reply: { at } }) => ({ askedAt, at }));
  const sorted = dates.toSorted((a, b) => a.at - a.askedAt - (b.at - b.askedAt));
  const [slow, fast] = [sorted[0], sorted.at(-1)];
  if (!slow || !fast || fast.at - fast.askedAt - (slow.at - slow.askedAt) <= DATE_DRIFT) return null;
  const [one, other] = slow.askedAt < fast.askedAt ? [slow, fast] : [fast, slow];
  const [real, shown] = [other.askedAt - one.askedAt, other.at - one.at].map((time) => Math.round(time / SECOND));
  return line('FAILS', 'counts', `within ${real} s of this machine the Date of the replies went on by ${shown} s`);
}

interface AskedFiles extends Pick<AskMeans, 'now'> {
  readonly fileExists: (file: string) => boolean;
  readonly readFile: (file: string) => Uint8Array;
}

/** The replies in the files, and those to the queries. @param ask returns words for a refusal */
export async function askedCohorts(
  words: readonly string[],
  { fileExists, readFile, now }: AskedFiles,
  ask: (query: string) => Promise<CohortReply | string>,
): Promise<readonly AskedCohort[]> {
  const asked: AskedCohort[] = [];
  for (const word of words) {
    const isSaved = fileExists(word);
    if (!isSaved && !word.includes('=')) throw new Error(`${word} is neither a file nor a query such as market=stock.`);
    const query = isSaved ? null : word.replace(/^.*\?/, '');
    const reply = query === null ? savedReply(word, new TextDecoder().decode(readFile(word))) : await ask(query);
    if (typeof reply === 'string') throw new Error(reply);
    asked.push({ reply, askedAt: now(), query, source: isSaved ? 'saved' : 'asked' });
  }
  return asked;
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
export async function drawnCohorts(
  wanted: number,
  decisions: readonly CountableDecision[],
  means: AskMeans,
): Promise<readonly AskedCohort[]> {
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
    if (!reply)
      throw new Error(
        'The service shows no cohorts without credentials: save replies that agents get by curl -i, and give the files.',
      );
    asked.push({ reply, askedAt: means.now(), query: text, source: 'drawn' });
    least = smallestShown(reply, least);
  }
  return asked;
}

/** A larger minimum would leave cohorts out that the service had to show. */
const LARGEST_MINIMUM = 1_000;

/** How many decisions a cohort must have that is asked for: those with fewer are withheld. */
function smallestShown({ overview: { suppression } }: CohortReply, before: number): number {
  const stated = isObject(suppression) ? Number(suppression.min_samples) : Number.NaN;
  return stated < LARGEST_MINIMUM ? stated : before;
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
