import { OutcomePendingError, RetryableError, UsageError, unexpectedReply } from './errors.ts';
import { EventFeed, type FollowOptions, followPages, type ReadEvents } from './event-feed.ts';
import { batchesOf } from './row-batches.ts';
import { type ClientRequest, openOwnerSession, type PasswordLogin, type Query, send } from './send.ts';
import { type ClientOptions, checkedIdempotencyKey, type Settings, settingsOf } from './settings.ts';
import { type WaitOptions, waitForClosed } from './wait-for-outcome.ts';
import { type Reply, spreadWait } from './waits.ts';
import type * as wire from './wire.ts';

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
}

export interface SubmitOptions extends CallOptions {
  /** The same key with the same decision never makes a second record; without one, each call gets a key of its own. */
  readonly idempotencyKey?: string | null | undefined;
}

export interface BacktestOptions extends CallOptions {
  /** Called after each request. */
  readonly onProgress?: ((progress: { readonly sent: number; readonly of: number }) => void) | undefined;
}

/**
 * The owner of an account: a token of the identity provider, or a password, with which the client logs in and out again (not
 * in browsers, where pages cannot send cookies of their own).
 */
export type OwnerLogin = { readonly token: string } | PasswordLogin;

const DECISIONS = '/api/v1/agent/decisions';
const GROUPS = '/api/v1/agent/decision-groups';
const PLANS = '/api/v1/agent/plans';
const EVENTS = '/api/v1/agent/events';
const BACKTESTS = '/api/v1/agent/backtests';

/** Events in a page that the client reads by itself: the most that there can be. */
const EVENT_PAGE = 100;

/** Seconds in which a receipt is there, and as many again. */
const RECEIPT_TIMEOUT = 600;

/** What one request of a back-test may have: rows, and bytes in all with room to spare. */
const BATCH = { rows: 1_000, bytes: 1_000_000 };

/** Seconds between two looks at a back-test that is being graded. */
const BACKTEST_PAUSE = 3;

/** A client for one service and one agent (docs/clients.md). Each method throws the errors of errors.ts. */
export class Stancebook {
  readonly #settings: Settings;
  readonly #readEvents: ReadEvents = (after, signal) => this.events({ after, limit: EVENT_PAGE }, { signal });
  /** Shared by all waits. */
  readonly #feed: EventFeed;

  /** @throws UsageError for an address or a key that must not be used */
  constructor(options: ClientOptions) {
    this.#settings = settingsOf(options);
    this.#feed = new EventFeed(this.#settings, this.#readEvents);
  }

  /** Stores a decision. Attempts that are repeated make one record. */
  submit(decision: wire.DecisionSubmission, options: SubmitOptions = {}): Promise<wire.AcceptedDecision> {
    return this.#submitted(DECISIONS, decision, options);
  }

  /** Stores one decision over several horizons, all of them or none; `members` has the reply of each. */
  submitGroup(group: wire.DecisionGroupSubmission, options: SubmitOptions = {}): Promise<wire.AcceptedDecisionGroup> {
    return this.#submitted(GROUPS, group, options);
  }

  #submitted<Accepted>(path: string, body: object, options: SubmitOptions): Promise<Accepted> {
    const key = checkedIdempotencyKey(options.idempotencyKey ?? globalThis.crypto.randomUUID());
    const headers = { 'idempotency-key': key };
    const { signal } = options;
    return this.request({ method: 'POST', path, body, headers, repeatable: true, signal });
  }

  /** Checks a decision and stores nothing. */
  validate(decision: wire.DecisionSubmission, { signal }: CallOptions = {}): Promise<wire.ValidatedSubmission> {
    const query = { validate_only: true };
    return this.request({ method: 'POST', path: DECISIONS, query, body: decision, repeatable: true, signal });
  }

  /** Checks a decision over several horizons and stores nothing. */
  validateGroup(
    group: wire.DecisionGroupSubmission,
    { signal }: CallOptions = {},
  ): Promise<wire.ValidatedDecisionGroup> {
    const query = { validate_only: true };
    return this.request({ method: 'POST', path: GROUPS, query, body: group, repeatable: true, signal });
  }

  /** Spends a unit of the pool `check` of this decision. */
  state(recordId: string, { signal }: CallOptions = {}): Promise<wire.DecisionState> {
    return this.request({ method: 'GET', path: pathOf(recordId, '/state'), signal });
  }

  /** Spends a unit of the pool `read`. */
  decision(recordId: string, { signal }: CallOptions = {}): Promise<wire.Decision> {
    return this.request({ method: 'GET', path: pathOf(recordId), signal });
  }

  /**
   * Keeps what an outcome of the agent's own decision taught. The text of the newest note is that note, so it may be sent again.
   * @throws RetryableError RECORD_OPEN before the outcome
   */
  note(recordId: string, text: string, { signal }: CallOptions = {}): Promise<wire.WrittenNote> {
    return this.request({ method: 'POST', path: pathOf(recordId, '/notes'), body: { text }, repeatable: true, signal });
  }

  /** Up to 32 decisions in their public form, for one unit of the pool `read`. */
  decisions(recordIds: readonly string[], { signal }: CallOptions = {}): Promise<wire.DecisionBatch> {
    const body = { record_ids: recordIds };
    return this.request({ method: 'POST', path: `${DECISIONS}/batch`, body, repeatable: true, signal });
  }

  /** The agent's own decisions, the newest submission first. */
  list(query: wire.QueryOf<'listAgentDecisions'> = {}, { signal }: CallOptions = {}) {
    return this.#items<wire.DecisionList['items'][number]>(DECISIONS, query, signal);
  }

  /** What the agent had decided on a security, and what became of it; `text` is for the next prompt. No unit of a pool. */
  recall(query: wire.QueryOf<'recall'>, { signal }: CallOptions = {}): Promise<wire.Recall> {
    return this.request({ method: 'GET', path: '/api/v1/agent/recall', query, signal });
  }

  /** One page of a cohort. Spends a unit of the pool `query`. */
  cohort(query: wire.QueryOf<'queryWisdom'>, { signal }: CallOptions = {}): Promise<wire.Cohort> {
    return this.request({ method: 'GET', path: '/api/v1/agent/wisdom', query, signal });
  }

  /** The decisions of a cohort. Each page spends a unit of the pool `query`. */
  cohortItems(query: wire.QueryOf<'queryWisdom'>, { signal }: CallOptions = {}) {
    return this.#items<wire.Cohort['items'][number]>('/api/v1/agent/wisdom', query, signal);
  }

  /** States a question before it is asked, for ever. The same filters and sentence are one plan, so it may be sent again. */
  statePlan(plan: wire.PlanRequest, { signal }: CallOptions = {}): Promise<wire.StatedPlan> {
    return this.request({ method: 'POST', path: PLANS, body: plan, repeatable: true, signal });
  }

  /** A plan as it was returned when it was stated. */
  plan(planId: string, { signal }: CallOptions = {}): Promise<wire.StatedPlan> {
    return this.request({ method: 'GET', path: planPath(planId), signal });
  }

  /** The plans that the agent stated, the newest first. */
  plans(query: wire.QueryOf<'listPlans'> = {}, { signal }: CallOptions = {}) {
    return this.#items<wire.PlanList['items'][number]>(PLANS, query, signal);
  }

  /** The proof that the evidence log has the plan, as text. @throws RetryableError NOT_LOGGED_YET */
  async planReceipt(
    planId: string,
    query: wire.QueryOf<'readPlanReceipt'> = {},
    { signal }: CallOptions = {},
  ): Promise<string> {
    const path = planPath(planId, '/receipt');
    const { text } = await send(this.#settings, { method: 'GET', path, query, signal });
    return text;
  }

  /** The receipt of a plan once the log has it, as `waitForReceipt`. */
  waitForPlanReceipt(
    planId: string,
    query: wire.QueryOf<'readPlanReceipt'> = {},
    options: WaitOptions = {},
  ): Promise<string> {
    return this.#onceLogged((signal) => this.planReceipt(planId, query, { signal }), options);
  }

  /**
   * Sends rows of a back-test, in as many requests as they need. The same rows again change nothing: to resume is to send
   * again. `refused` names the rows by their place in `rows`.
   */
  async backtest(
    set: string,
    { about, rows }: { readonly about: wire.BacktestAbout; readonly rows: readonly wire.BacktestRow[] },
    { onProgress, signal }: BacktestOptions = {},
  ): Promise<wire.BacktestReply> {
    const path = setPath(set);
    const all = { accepted: 0, repeated: 0, refused: [] as wire.BacktestReply['refused'][number][] };
    let first = 0;
    for (const body of batchesOf({ about, rows }, BATCH)) {
      const sent = await this.request<wire.BacktestReply>({ method: 'POST', path, body, repeatable: true, signal });
      all.accepted += sent.accepted;
      all.repeated += sent.repeated;
      for (const each of sent.refused) all.refused.push({ ...each, row: first + each.row });
      first += body.rows.length;
      onProgress?.({ sent: first, of: rows.length });
    }
    return all;
  }

  /** The counts of a back-test. */
  backtestCounts(set: string, { signal }: CallOptions = {}): Promise<wire.BacktestSet> {
    return this.request({ method: 'GET', path: setPath(set), signal });
  }

  /** Keeps what the outcome of a graded row taught, as of a time of the back-test; it may be sent again. */
  backtestNote(set: string, note: wire.BacktestNote, { signal }: CallOptions = {}): Promise<wire.WrittenBacktestNote> {
    return this.request({ method: 'POST', path: `${setPath(set)}/notes`, body: note, repeatable: true, signal });
  }

  /** The counts once all settled rows are graded. @throws OutcomePendingError after 10 minutes, or `timeoutSeconds` */
  async waitForBacktest(
    set: string,
    { timeoutSeconds = RECEIPT_TIMEOUT, signal }: WaitOptions = {},
  ): Promise<wire.BacktestSet> {
    const { now, sleep } = this.#settings;
    const end = now() + timeoutSeconds * 1_000;
    for (;;) {
      const counts = await this.backtestCounts(set, { signal });
      if (counts.ungraded_yet === 0) return counts;
      if (now() + BACKTEST_PAUSE * 1_000 > end)
        throw new OutcomePendingError(`${counts.ungraded_yet} rows are not graded yet.`, null);
      await sleep(BACKTEST_PAUSE, signal);
    }
  }

  /** The decisions that this one is related to. */
  related(
    recordId: string,
    query: wire.QueryOf<'readDecisionGraph'> = {},
    { signal }: CallOptions = {},
  ): Promise<wire.DecisionGraph> {
    return this.request({ method: 'GET', path: pathOf(recordId, '/graph'), query, signal });
  }

  /** The proof that the evidence log has the submission, or its grade, as text. @throws RetryableError NOT_LOGGED_YET */
  async receipt(
    recordId: string,
    query: wire.QueryOf<'readDecisionReceipt'> = {},
    { signal }: CallOptions = {},
  ): Promise<string> {
    const { text } = await send(this.#settings, { method: 'GET', path: pathOf(recordId, '/receipt'), query, signal });
    return text;
  }

  /** The receipt once the log has it. @throws OutcomePendingError after 10 minutes, or `timeoutSeconds` */
  waitForReceipt(
    recordId: string,
    query: wire.QueryOf<'readDecisionReceipt'> = {},
    options: WaitOptions = {},
  ): Promise<string> {
    return this.#onceLogged((signal) => this.receipt(recordId, query, { signal }), options);
  }

  /**
   * The file that proves the whole record of an agent to others (`verify --record`), as the owner of the account; the key is
   * not sent. @throws InternalError for a file that is not whole
   */
  async recordProof(agentId: string, owner: OwnerLogin, { signal }: CallOptions = {}): Promise<string> {
    if (agentId === '') throw new UsageError('Give the id of an agent, such as agt_0a1b2c3d4e5f.');
    const settings = { ...this.#settings, apiKey: null };
    const session = 'token' in owner ? null : await openOwnerSession(settings, owner, signal);
    const headers = session?.headers ?? { authorization: `Bearer ${checkedToken(owner)}` };
    try {
      const query = { agent_id: agentId };
      const reply = await send(settings, { method: 'GET', path: RECORD_PROOF, query, headers, signal });
      if (!/\n\{.*"type":"complete".*\}\n$/.test(reply.text)) throw unexpectedReply(reply.status, NOT_WHOLE);
      return reply.text;
    } finally {
      await session?.close();
    }
  }

  /** What the key may do, and what remains of its pools. */
  limits({ signal }: CallOptions = {}): Promise<wire.Limits> {
    const query = { include: 'quota' };
    return this.request({ method: 'GET', path: '/api/v1/public/auth/status', query, signal });
  }

  /** A page of the agent's events behind `after`, the oldest first. No unit of a pool. */
  events(
    { after, limit }: { readonly after?: string | null | undefined; readonly limit?: number | undefined } = {},
    { signal }: CallOptions = {},
  ): Promise<wire.AgentEventFeed> {
    return this.request({ method: 'GET', path: EVENTS, query: { limit, after }, signal });
  }

  /** Pages of the agent's events as they happen, without an end. Store `next_cursor` after each page. */
  follow(options: FollowOptions = {}): AsyncGenerator<wire.AgentEventFeed, void> {
    return followPages(this.#settings, this.#readEvents, options);
  }

  /** The state once the decision is graded. It is read when an event says so, or when its times do. */
  async waitForOutcome(recordId: string, options: WaitOptions = {}): Promise<wire.DecisionState> {
    const path = pathOf(recordId, '/state');
    const read = async () => {
      const reply = await send(this.#settings, { method: 'GET', path, signal: options.signal });
      return { state: jsonOf(reply) as wire.DecisionState, headers: reply.headers };
    };
    const watched = this.#feed.watch(recordId);
    try {
      return await waitForClosed(this.#settings, { read, feed: this.#feed, watched }, options);
    } finally {
      watched.end();
    }
  }

  /** Any other request. The JSON of its reply; null where the reply is empty. */
  async request<T>(request: ClientRequest): Promise<T> {
    return jsonOf(await send(this.#settings, request)) as T;
  }

  /** Reads again after each NOT_LOGGED_YET. */
  async #onceLogged(
    read: (signal: AbortSignal | undefined) => Promise<string>,
    { timeoutSeconds = RECEIPT_TIMEOUT, signal }: WaitOptions,
  ): Promise<string> {
    const { now, random, sleep } = this.#settings;
    const end = now() + timeoutSeconds * 1_000;
    for (;;) {
      try {
        return await read(signal);
      } catch (error) {
        if (!(error instanceof RetryableError) || error.code !== 'NOT_LOGGED_YET') throw error;
        const wait = spreadWait(error.retryAfterSeconds ?? 30, random);
        if (now() + wait * 1_000 > end) throw new OutcomePendingError('The timeout ends before the next read.', null);
        await sleep(wait, signal);
      }
    }
  }

  #items<T>(path: string, query: Query, signal: AbortSignal | undefined): AsyncGenerator<T, void> {
    return itemsOf<T>((cursor) =>
      this.request<Page<T>>({ method: 'GET', path, query: cursor === null ? query : { ...query, cursor }, signal }),
    );
  }
}

const RECORD_PROOF = '/api/v1/owner/record-proof';
const NOT_WHOLE = 'The record is not whole: its last line is missing. Ask for it again.';

/** @throws UsageError for what no token is, such as a text with a line end */
function checkedToken(owner: OwnerLogin): string {
  if ('token' in owner && /^[\x21-\x7e]+$/.test(owner.token)) return owner.token;
  throw new UsageError('The token is empty or has a character that no token has. It was not sent.');
}

function pathOf(recordId: string, part = ''): string {
  return `${DECISIONS}/${encodeURIComponent(recordId)}${part}`;
}

function planPath(planId: string, part = ''): string {
  return `${PLANS}/${encodeURIComponent(planId)}${part}`;
}

function setPath(set: string): string {
  if (/^[a-z0-9-]{1,40}$/.test(set)) return `${BACKTESTS}/${set}`;
  throw new UsageError('The name of a set has 1 to 40 lower-case letters, digits and hyphens.');
}

function jsonOf({ status, headers, text }: Reply): unknown {
  if (text === '') return null;
  try {
    return JSON.parse(text);
  } catch {
    throw unexpectedReply(status, 'The reply is not JSON.', headers.get('x-request-id'));
  }
}

/** A page of a list with a cursor. */
interface Page<T> {
  readonly items: readonly T[];
  readonly next_cursor: string | null;
}

/**
 * All items of a list, page by page: the next page is read when its first item is needed.
 * @param read the page at a cursor; the first page for null
 */
async function* itemsOf<T>(read: (cursor: string | null) => Promise<Page<T>>): AsyncGenerator<T, void> {
  const seen = new Set<string>();
  for (let cursor: string | null = null; ; ) {
    const page: Page<T> = await read(cursor);
    if (!Array.isArray(page?.items)) throw unexpectedReply(200, 'The reply is no page of a list.');
    cursor = page.next_cursor ?? null;
    if (cursor !== null && seen.has(cursor)) throw unexpectedReply(200, 'The list has the same cursor twice.');
    yield* page.items;
    if (cursor === null) return;
    seen.add(cursor);
  }
}
