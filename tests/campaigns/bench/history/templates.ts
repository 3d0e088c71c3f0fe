import { readFileSync } from 'node:fs';
import { canonicalJson } from '../../../../adapters/formats/canonical-json.ts';
import { barFiles } from '../../../../adapters/market/files/bar-files.ts';
import type { PostgresStorage } from '../../../../adapters/postgres/storage.ts';
import { evaluateDue } from '../../../../application/grading/evaluate-due.ts';
import { DIRECTIONS } from '../../../../domain/decisions/call.ts';
import type { DecisionDraft } from '../../../../domain/decisions/submission/decision-intake.ts';
import { DAY, HOUR, type Millis } from '../../../../domain/time.ts';
import { databaseClock, WITHOUT_TEST_CLOCK } from '../../../harness/database-clock.ts';
import type { Caller } from '../../stage/callers.ts';
import { onClient } from '../../stage/client.ts';
import { UNREACHED_LIMITS } from '../../stage/environment.ts';
import { submissionOf } from '../../stage/submission.ts';
import { admittedDraft } from '../admitted-draft.ts';
import { countedPrices } from '../counted-prices.ts';
import { addPrices, INSTRUMENTS, instrumentOf } from '../due-decisions.ts';
import { portsOn } from '../evaluate.ts';
import { publishWorkflows } from '../published-workflows.ts';

/** The days on which templates are received, and how many on each. */
export interface TemplateExtent {
  readonly days: number;
  readonly aDay: number;
}

/** A database with its storage, and a folder for bar files. */
export interface HistoryPlace {
  readonly url: string;
  readonly storage: PostgresStorage;
  readonly bars: string;
}

/**
 * Adds decisions that the service itself receives, day after day until today, and grades as they fall due: `app.now()`
 * runs through these days, and is the clock again when this returns. The newest are not due yet.
 * @param addAgents is called at the time before all of them; the decisions are by these agents in turn
 */
export async function addTemplates(
  { url, storage, bars }: HistoryPlace,
  { days, aDay }: TemplateExtent,
  addAgents: () => Promise<readonly Caller[]>,
): Promise<void> {
  const today = Math.floor(Date.now() / DAY) * DAY;
  const clock = await databaseClock(url);
  await clock.freeze(new Date(today - (days + 1) * DAY));
  const agents = await addAgents();
  const workflows = await publishWorkflows(url);
  await addPrices(bars, storage, today - DAY, days + BEFORE);
  const ports = portsOn(storage, countedPrices('history', barFiles(bars), storage.barCache));
  for (let day = 0; day <= days; day += 1) {
    await clock.freeze(new Date(today - (days - day) * DAY));
    for (let more = true; more; ) ({ more } = await evaluateDue(ports));
    if (day < days) await receive(storage, { agents, workflows }, { first: day * aDay, count: aDay });
  }
  while ((await storage.cohortCells.fold(1_000)) > 0);
  await clock.close();
  await onClient(url, (client) => client.query(`${readFileSync(CLOCK, 'utf8')}; ${WITHOUT_TEST_CLOCK}`));
}

/** Days of prices before the first decision, for its volatility. */
const BEFORE = 60;
const CLOCK = new URL('../../../../adapters/postgres/functions/clock.sql', import.meta.url);

interface Received {
  /** The number of the first of them. */
  readonly first: number;
  readonly count: number;
}

/** What the decisions are by and refer to. */
interface Authors {
  readonly agents: readonly Caller[];
  readonly workflows: readonly string[];
}

async function receive(storage: PostgresStorage, authors: Authors, { first, count }: Received) {
  const now = await storage.clock.now();
  const drafts = Array.from({ length: count }, (_, n) => draftOf(authors, first + n, now));
  for (const { verdict } of await Promise.all(drafts.map((draft) => storage.intake.submit(draft))))
    if (verdict !== 'accepted') throw new Error(`A template was not accepted: ${verdict}`);
}

const PERSPECTIVES = ['technical', 'fundamental', 'sentiment', 'macro'] as const;
/** Sessions of a horizon. They are long enough to be graded on day bars. */
const HORIZONS = [11, 15, 20, 30] as const;

function draftOf({ agents, workflows }: Authors, n: number, now: Date): DecisionDraft {
  const agent = agents[n % agents.length];
  if (!agent) throw new Error('There are no agents.');
  const { symbol } = instrumentOf((n * 7) % INSTRUMENTS);
  const direction = DIRECTIONS[n % DIRECTIONS.length] ?? 'neutral';
  const { meta, ...rest } = submissionOf({ symbol, direction }, new Date(now.getTime() - SEEN_BEFORE));
  const submission = {
    ...rest,
    horizon_value: HORIZONS[Math.floor(n / 3) % HORIZONS.length] ?? 20,
    ...(n % USING_WORKFLOWS === 0 ? { workflow_ref: `wf:${workflows[n % workflows.length]}` } : {}),
    perspective_type: PERSPECTIVES[Math.floor(n / 5) % PERSPECTIVES.length] ?? 'technical',
    meta: JSON.stringify(meta),
  };
  const request = { submission, canonical: canonicalJson(submission), idempotency: null, network: '' };
  return admittedDraft(agent, request, UNREACHED_LIMITS, now);
}

/** One decision of so many refers to a published workflow. */
const USING_WORKFLOWS = 7;
/** How long before its receipt a decision saw its data: it is no retroactive one. */
const SEEN_BEFORE: Millis = HOUR;
