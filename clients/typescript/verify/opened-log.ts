import { isNamed } from '../../../domain/decisions/later-reading.ts';
import { Malformed, textOfUtf8 } from '../../../domain/log/encoding.ts';
import { LEAF_STATE, leafAudit } from '../../../domain/log/leaves/leaf-audit.ts';
import { judgeCheckpoint } from '../../../domain/log/notes/checkpoint.ts';
import type { SignedNote } from '../../../domain/log/notes/note.ts';
import type { NameBook } from '../../../domain/market/name-book.ts';
import { MINUTE, type Millis, SECOND } from '../../../domain/time.ts';
import { allDecisions } from './all-decisions.ts';
import type { AskMeans } from './asked-cohorts.ts';
import { checkedLog, ed25519Verify, policyIn } from './audit.ts';
import { type OpenedDecision, seenCheckpoints, type TimeJudges } from './audit-times.ts';
import { bookOf, type CountedThen, countedIn, type NamedDecision, namesLine } from './named-decisions.ts';
import type { ReadServed } from './read-log.ts';
import { type CountableDecision, countable, NeedsNewerVerifier } from './recount.ts';
import { type CheckStamps, isTimed, timeFinding } from './time-line.ts';
import { prefixesOfLog, treeOfLog } from './tree-of-log.ts';
import { counted, type Line } from './verdict.ts';

/** What was graded is in the log by then. */
export const LOGGED_AFTER = 2 * MINUTE;

/** How a log is read, and all that it opens. */
export interface OpenMeans extends Pick<AskMeans, 'begin' | 'now'> {
  readonly served: ReadServed;
  /** The text of a tlog-policy; null for none. */
  readonly policy: string | null;
  readonly stamps: CheckStamps | null;
  /** All statements about names, as JSON lines; null of a service that has none. */
  readonly names: () => Promise<string | null>;
}

/** What a log has of the decisions that are public now. */
export interface OpenedLog {
  readonly lines: readonly Line[];
  /** Whether these leaves are those that were signed. */
  readonly isSigned: boolean;
  readonly begunAt: Millis;
  /** As they count by the names that are known now. */
  readonly decisions: readonly CountableDecision[];
  /** What they counted as when a service answered. */
  readonly at: (time: Millis, isSaved?: boolean) => CountedThen;
  /** What names mean. */
  readonly book: NameBook;
  /** A record with a statement or outcome of a later version, which is not counted; null for none. */
  readonly newer: string | null;
  /** How many are graded, not closed and not opened. */
  readonly missing: number;
  /** How many are closed after a grade. */
  readonly closed: number;
  /** How often one came back. */
  readonly reopened: number;
}

/** Reads the whole log, and all that it opens. */
export async function openedLog(means: OpenMeans): Promise<OpenedLog> {
  const { served, policy, stamps, begin, now } = means;
  const [trusted, begunAt] = [policyIn(policy), now()];
  let reopened = 0;
  const logged: string[] = [];
  const {
    lines: read,
    head,
    states,
    isSigned,
  } = await checkedLog(served, trusted, (leaf) => {
    const text = textOfUtf8(leaf);
    if (text.includes('"t":"reopened"')) reopened += 1;
    if (text.includes('"t":"names"')) logged.push(String(JSON.parse(text).sha256));
  });
  const names = await means.names();
  const [book, lines] = [bookOf(names), [...read, ...namesLine(names ?? '', logged, begunAt - LOGGED_AFTER)]];
  const audit = leafAudit(states);
  const closed = [...states.keys()].filter((index) => audit.stateOf(index) === LEAF_STATE.closedGraded).length;
  const [unnamed, named]: [CountableDecision[], NamedDecision[]] = [[], []];
  const log = { isSigned, begunAt, book, closed, reopened, ...countedIn(book, named, unnamed) };
  if (!isSigned) return { ...log, lines, decisions: [], newer: null, missing: 0 };
  const trustOf = (note: SignedNote) => judgeCheckpoint(note, trusted, ed25519Verify);
  const startsWith = prefixesOfLog(served, head);
  const late = latenessOf({ trustOf, stamps, reads: [], size: head.size, startsWith });
  let newer: string | null = null;
  const opened = await allDecisions(
    { served, hasLeaf: treeOfLog(served, head), states },
    late.add,
    { before: new Map(), now: Math.floor(now() / SECOND) },
    {
      begin: (bundles) =>
        begin(`Opening what is public of ${counted(head.size, 'leaf', 'leaves')}, in ${counted(bundles, 'request')}.`),
      graded({ public_statement }, { public_outcome }) {
        const { record_id } = public_statement;
        try {
          const isLate = late.of(record_id);
          const decision = countable(public_statement, public_outcome, isLate);
          if (isNamed(book, public_statement))
            named.push({ statement: public_statement, outcome: public_outcome, isLate });
          else unnamed.push(decision);
        } catch (error) {
          if (!(error instanceof NeedsNewerVerifier)) throw error;
          newer = record_id;
        }
      },
    },
  );
  const missing = opened.missing.size;
  const { certain: decisions } = log.at(now());
  return { ...log, lines: [...lines, ...opened.lines], decisions, newer, missing };
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
