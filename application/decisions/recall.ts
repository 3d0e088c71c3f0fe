import { noSuchAgent } from '../../domain/accounts/keys/agent-store.ts';
import { recalledNotes } from '../../domain/backtests/row-notes.ts';
import type { Caller } from '../../domain/caller.ts';
import type { Direction, HorizonKind } from '../../domain/decisions/call.ts';
import type { Note } from '../../domain/decisions/own/notes.ts';
import { RECALL } from '../../domain/limits.ts';
import type { ReadAs } from '../../domain/market/name-book.ts';
import type { Market } from '../../domain/market/venues.ts';
import { Problem } from '../../domain/problem.ts';
import {
  type AllCounts,
  type ClosedCall,
  chooseRecall,
  type ElsewhereCall,
  type NotedRow,
  type OpenCall,
  type RecallChoice,
  type RecallQuestion,
  type RecallSubject,
  type RecallWords,
  recalled,
  recalledElsewhere,
  recallRowOf,
  recallWords,
} from '../../domain/recall/recall.ts';
import { recallText } from '../../domain/recall/recall-text.ts';
import { rfc3339 } from '../../domain/time.ts';
import { cohortProblem, readCohortFilter, symbolReading } from '../cohorts/cohort-filters.ts';
import type { Ports } from '../ports.ts';
import { sha256Hex } from '../sha256.ts';

/** The parameters of `GET /agent/recall`. */
export interface RecallQuery {
  /** Of a caller that is bound to no agent. */
  readonly agent_id?: string | undefined;
  readonly market: Market;
  readonly symbol: string;
  readonly direction?: Direction | undefined;
  readonly horizon_kind?: HorizonKind | undefined;
  readonly horizon_value?: number | undefined;
  /** Now by default. */
  readonly as_of?: Date | undefined;
  /** A set of back-tests of the agent, which is read in place of its decisions. */
  readonly set?: string | undefined;
  /** RECALL.tokens by default. */
  readonly tokens?: number | undefined;
  /** `text` for the rows that the text has alone, with own words as it quotes them; `all` by default. */
  readonly rows_shown?: RecallRows | undefined;
}

export const RECALL_ROWS = ['all', 'text'] as const;
export type RecallRows = (typeof RECALL_ROWS)[number];

/** What an agent had decided about a security, and what became of it. */
export interface Recall {
  readonly as_of: Date;
  readonly set: string | null;
  readonly read_as: ReadAs;
  readonly open: readonly OpenCall[];
  readonly closed: readonly ClosedCall[];
  readonly elsewhere: readonly ElsewhereCall[];
  readonly counts: AllCounts;
  readonly quarantined: number;
  /** Of a set: rows whose prices had settled, and that wait for their grade; null of decisions. */
  readonly ungraded_yet: number | null;
  readonly text: string;
  readonly sha256: string;
}

type RecallPorts = Pick<Ports, 'recall' | 'backtests' | 'notes' | 'owners' | 'symbols' | 'names' | 'clock'>;

/**
 * An agent's own decisions about a security as of a time (loop.md section 2). Nothing that happens later changes a byte of it,
 * except a quarantine, an erasure, an emptied note and what is learned of names.
 * @throws Problem VALIDATION_ERROR (422) for an impossible symbol, a time that is to come and half of a horizon; KEY_UNBOUND,
 * and NOT_FOUND for an agent that is not the caller's
 */
export async function recall(ports: RecallPorts, caller: Caller, query: RecallQuery): Promise<Recall> {
  const question = questionOf(query, await ports.clock.now());
  const agent_id = await agentOf(ports, caller, query.agent_id);
  const { market, symbol, as_of, tokens = RECALL.tokens } = query;
  const { filter, read_as } = readCohortFilter(await symbolReading(ports), { market, symbol, as_of });
  const subject = { owner_id: caller.owner_id, agent_id, market, symbol: filter.symbol ?? symbol };
  const set = query.set ?? null;
  const found = set === null ? await ofDecisions(ports, subject, question) : await ofSet(ports, subject, set, question);
  const { choice, words, notes, noted, ungraded_yet } = found;
  const { counts, quarantined } = choice;
  const lists = recalled(choice, question, words, notes);
  const content = { ...lists, elsewhere: recalledElsewhere(noted, question.horizon), counts, quarantined };
  const { text, shown } = recallText({ ...subject, set, as_of: question.as_of, ...content }, tokens);
  const meant = read_as ?? { symbol: subject.symbol, names: [], others: [] };
  const rows = query.rows_shown === 'text' ? shown : {};
  const { as_of: at } = question;
  return { as_of: at, set, read_as: meant, ...content, ...rows, ungraded_yet, text, sha256: sha256Hex(text) };
}

/** What the reply is made of, of either world. */
interface Found {
  readonly choice: RecallChoice;
  readonly words: ReadonlyMap<string, RecallWords>;
  readonly notes: ReadonlyMap<string, readonly Note[]>;
  readonly noted: readonly NotedRow[];
  readonly ungraded_yet: number | null;
}

async function ofDecisions(
  { recall: reader, notes }: RecallPorts,
  subject: RecallSubject,
  question: RecallQuestion,
): Promise<Found> {
  const { as_of, isNow } = question;
  const choice = chooseRecall(await reader.newest(subject, as_of, !isNow, RECALL.rows + 1), question);
  const closed = choice.closed.map(({ id }) => id);
  const [words, written, noted] = await Promise.all([
    reader.wordsOf([...choice.open.map(({ id }) => id), ...closed]),
    notes.notesOf(closed, as_of),
    reader.notedElsewhere(subject, as_of, RECALL.noted),
  ]);
  return { choice, words, notes: written, noted, ungraded_yet: null };
}

/** @throws Problem NOT_FOUND for a set that the agent does not have */
async function ofSet(
  { backtests }: RecallPorts,
  subject: RecallSubject,
  name: string,
  question: RecallQuestion,
): Promise<Found> {
  const { owner_id, agent_id } = subject;
  const set = await backtests.find({ owner_id, agent_id, name });
  if (set === null) {
    const suggestion = 'Send rows to it first, or leave set out for the decisions of the agent.';
    throw new Problem('NOT_FOUND', `The agent has no set of back-tests ${name}.`, { suggestion });
  }
  const { rows, ungraded_yet } = await backtests.recall(set.set_id, subject, question.as_of, RECALL.rows + 1);
  const choice = chooseRecall(rows.map(recallRowOf), question);
  const chosen = new Set([...choice.open, ...choice.closed].map(({ id }) => id));
  const shown = rows.filter(({ external_id }) => chosen.has(external_id));
  const others = await backtests.notedElsewhere(set.set_id, subject, question.as_of, RECALL.noted);
  return {
    choice,
    words: new Map(shown.map((row) => [row.external_id, recallWords(jsonOf(row.body), row.outcome?.facts ?? null)])),
    notes: new Map(shown.map((row) => [row.external_id, recalledNotes(row)])),
    noted: others.flatMap((row) =>
      recalledNotes(row)
        .slice(-1)
        .map((note) => ({ row: recallRowOf(row), note })),
    ),
    ungraded_yet,
  };
}

/** null for a body that was damaged. */
function jsonOf(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return null;
  }
}

function questionOf({ direction, horizon_kind, horizon_value, as_of }: RecallQuery, now: Date): RecallQuestion {
  if ((horizon_kind === undefined) !== (horizon_value === undefined)) {
    const message = horizon_kind ? 'is required next to horizon_kind' : 'needs horizon_kind';
    throw cohortProblem({ path: 'horizon_value', message: `${message}: send both, or neither` });
  }
  if (as_of && as_of > now) {
    const message = `must not be later than now, ${rfc3339(now)}: leave it out for the present`;
    throw cohortProblem({ path: 'as_of', message, received: rfc3339(as_of) });
  }
  const horizon = horizon_kind && horizon_value ? { horizon_kind, horizon_value } : null;
  return { direction: direction ?? null, horizon, as_of: as_of ?? now, isNow: as_of === undefined };
}

/** The agent that the caller's key is bound to, else the one of the owner that is asked for. */
async function agentOf({ owners }: RecallPorts, caller: Caller, asked: string | undefined): Promise<string> {
  if (caller.credential === 'api_key') {
    if (caller.agent_id === null) {
      throw new Problem('KEY_UNBOUND', 'This API key is not bound to an agent, so it has no records.');
    }
    if (asked === undefined || asked === caller.agent_id) return caller.agent_id;
    const suggestion = 'Leave agent_id out: the key reads its own agent alone.';
    throw new Problem('NOT_FOUND', `This API key is not of the agent ${asked}.`, { suggestion });
  }
  if (asked === undefined) {
    const message = 'is required with this credential: send one that GET /api/v1/owner/agents lists';
    throw cohortProblem({ path: 'agent_id', message });
  }
  if ((await owners.findAgent(caller.owner_id, asked)) === null) throw noSuchAgent(asked);
  return asked;
}
