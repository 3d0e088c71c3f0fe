import {
  cohortKeyWith,
  earlierBooks,
  isNamed,
  LONGEST_IMPORT,
  possibleReadings,
} from '../../../domain/decisions/later-reading.ts';
import { hexOf, Malformed } from '../../../domain/log/encoding.ts';
import type { DecisionOpening, OutcomeOpening } from '../../../domain/log/leaves/opening.ts';
import type { PublicOutcome, PublicStatement } from '../../../domain/log/leaves/public-statement.ts';
import { groupedBy } from '../../../domain/market/bars.ts';
import { identityOf } from '../../../domain/market/instrument.ts';
import { type NameBook, nameBook } from '../../../domain/market/name-book.ts';
import { statementOfLine } from '../../../domain/market/name-statement.ts';
import { MINUTE, type Millis } from '../../../domain/time.ts';
import { type CountableDecision, countable, LEEWAY } from './recount.ts';
import { sha256 } from './sha256.ts';
import { counted, type Line, line } from './verdict.ts';

/** A graded decision that names are about: what it counts under depends on when it is asked. */
export interface NamedDecision {
  readonly statement: PublicStatement;
  readonly outcome: PublicOutcome;
  readonly isLate: boolean | null;
}

/** What a decision counts under by the names that are known at some moment: mostly one. */
export function countedBy(book: NameBook, { statement, outcome, isLate }: NamedDecision): readonly CountableDecision[] {
  const decision = countable(statement, outcome, isLate);
  const { submission_origin, data_cutoff, submission_time } = statement;
  const { source, names, exit } = outcome.outcome;
  const record = {
    ...identityOf(statement),
    anchor_time: new Date(submission_origin === 'retroactive' ? data_cutoff : submission_time),
    end_time: new Date(decision.window?.end_time ?? exit.time),
    submission_time: new Date(submission_time),
    graded: { at: new Date(outcome.evaluated_at), source, names },
  };
  return possibleReadings(book, record).map(({ symbol, wrong_security }) => {
    const { judged, window } = decision;
    const isOther = symbol !== statement.symbol;
    const cohort_key = isOther ? cohortKeyWith(statement.cohort_key, symbol) : statement.cohort_key;
    return {
      ...decision,
      judged: { ...judged, symbol, cohort_key, wrong_security },
      window: window && { ...window, instrument: { ...window.instrument, symbol } },
    };
  });
}

/** Decisions of a log, as cohorts counted them at a moment. */
export interface CountedThen {
  readonly certain: readonly CountableDecision[];
  /** With those that may have counted under one key or another. */
  readonly possible: readonly CountableDecision[];
}

/**
 * The decisions as cohorts counted them when a service answered: by the names that were known then, give or take `LEEWAY`.
 * @param decisions those that no name is about
 * @param isSaved whether the service cannot be asked again: then statements that were learned within the time of an import
 *   before may not have been there yet
 */
export function countedAt(
  at: Millis,
  book: NameBook,
  named: readonly NamedDecision[],
  decisions: readonly CountableDecision[],
  isSaved = false,
): CountedThen {
  if (named.length === 0) return { certain: decisions, possible: decisions };
  const bookAt = earlierBooks(book);
  const minute = Math.floor(at / MINUTE) * MINUTE;
  const [since, until] = [minute - (isSaved ? LONGEST_IMPORT : LEEWAY), minute + MINUTE + LEEWAY];
  const between = book.statements.map(({ learned_at }) => learned_at.getTime());
  const times = [since, ...between.filter((learned) => since < learned && learned < until), until];
  const books = new Set(times.map((time) => bookAt(new Date(time))));
  const read = named.map((each) => {
    const variants = [...books].flatMap((known) => countedBy(known, each));
    return [...new Map(variants.map((one) => [JSON.stringify(one.judged), one])).values()];
  });
  return {
    certain: [...decisions, ...read.flatMap((variants) => (variants.length === 1 ? variants : []))],
    possible: [...decisions, ...read.flat()],
  };
}

/** What a service counts as at any time, each set of names read once. */
export function countedIn(
  book: NameBook,
  named: readonly NamedDecision[],
  unnamed: readonly CountableDecision[],
): { readonly at: (time: Millis, isSaved?: boolean) => CountedThen } {
  const known = new Map<string, CountedThen>();
  return {
    at(time, isSaved = false) {
      const key = `${time} ${isSaved}`;
      const counted = known.get(key) ?? countedAt(time, book, named, unnamed, isSaved);
      known.set(key, counted);
      return counted;
    },
  };
}

/** @param text the statements as JSON lines @throws Malformed */
export function bookOf(text: string | null): NameBook {
  const lines = (text ?? '').split('\n').filter((each) => each !== '');
  try {
    return nameBook(lines.map((each, at) => statementOfLine(at + 1, each)));
  } catch {
    throw new Malformed('The service did not answer with statements about names.');
  }
}

/**
 * Whether the statements about names are those of which the log has leaves.
 * @param logged the digests in its leaves @param before what was learned before it is in the log
 */
export function namesLine(text: string, logged: readonly string[], before: Millis): readonly Line[] {
  const lines = text.split('\n').filter((each) => each !== '');
  const imports = groupedBy(lines, (each) => String(JSON.parse(each).learned_at));
  const shown = new Map(
    [...imports].map(([learned_at, of]) => [hexOf(sha256(...of.map((each) => `${each}\n`))), learned_at]),
  );
  // Those after the newest one that is shown may be younger than the reply, which is cached for a minute.
  const known = logged.slice(0, logged.findLastIndex((digest) => shown.has(digest)) + 1);
  const hidden = known.filter((digest) => !shown.has(digest));
  const unlogged = [...shown].filter(
    ([digest, learned_at]) => !logged.includes(digest) && Date.parse(learned_at) < before,
  );
  if (hidden.length > 0) {
    const leaves = counted(hidden.length, 'import');
    return [
      line('FAILS', 'names', `${leaves} of statements about names in the log are not those that the service shows`),
    ];
  }
  if (unlogged.length === 0) return [];
  return [line('FAILS', 'names', `statements about names learned at ${unlogged[0]?.[1]} are in no leaf`)];
}

/** What a decision may have counted under at any time since its grade, but for what its statement says: by each set of names. */
export function symbolsOf(
  book: NameBook,
  { public_statement: statement }: DecisionOpening,
  { public_outcome: outcome }: OutcomeOpening,
): readonly string[] {
  if (!isNamed(book, statement)) return [];
  const bookAt = earlierBooks(book);
  const books = new Set(
    [new Date(outcome.evaluated_at), ...book.statements.map(({ learned_at }) => learned_at)].map(bookAt),
  );
  const counted = [...books].flatMap((known) => countedBy(known, { statement, outcome, isLate: null }));
  return [...new Set(counted.map(({ judged }) => judged.symbol))]
    .filter((symbol) => symbol !== statement.symbol)
    .toSorted();
}
