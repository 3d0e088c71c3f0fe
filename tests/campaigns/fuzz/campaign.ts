import fc from 'fast-check';
import type { Received } from '../stage/receive.ts';
import { type Fault, faultsOf } from './check/faults.ts';
import { toolFaultsOf } from './check/tool-faults.ts';
import { Coverage } from './coverage.ts';
import { curlOf } from './curl.ts';
import type { Operation } from './document.ts';
import { type Draft, sentOf } from './requests/draft.ts';
import { firstRequests, requests } from './requests/request.ts';
import type { Send } from './send.ts';
import type { Stage } from './stage/stage.ts';

/** A fault, with the smallest request that shows it. */
export interface Finding {
  readonly what: string;
  readonly detail: string;
  readonly curl: string;
  readonly seed: string;
  times: number;
}

export interface Campaign {
  readonly coverage: Coverage;
  readonly findings: readonly Finding[];
}

export interface Extent {
  readonly requests: number;
  readonly seed: number;
  /** Requests that may follow, one after the other, to those operations alone that have not succeeded by chance. */
  readonly more?: number;
  /** Concurrent requests. */
  readonly lanes: number;
  /** Ends the campaign with the first finding of which this is true. */
  readonly until?: (finding: Finding) => boolean;
  /** Called from time to time with the number of requests. */
  readonly report?: (requests: number) => void;
  /** Called with each finding when it is shrunk. */
  readonly found?: (finding: Finding) => void;
}

type Scene = Pick<Stage, 'document' | 'callers' | 'things' | 'renewCallers'>;

const MAX_FINDINGS = 40;
const BATCH = 200;
const BATCHES_A_LINE = 50;
const MAX_SHRINKS = 150;

/** Sends what the document allows and forbids, and checks every reply against it. Reports each finding once, shrunk. */
export async function fuzz(
  scene: Scene,
  sendOf: (draft: Draft) => Send,
  url: string,
  extent: Extent,
): Promise<Campaign> {
  const coverage = new Coverage();
  const findings = new Map<string, Finding>();
  const { operations } = scene.document;
  const isOver = (most: number) => coverage.requests >= most || findings.size >= MAX_FINDINGS;
  let batch = 0;
  for (const draft of firstRequests(scene)) await faultsIn(scene, draft, sendOf(draft), coverage);
  const fuzzNext = async (chosen: readonly Operation[]) => {
    batch += 1;
    await scene.renewCallers();
    const drafts = requests(scene, chosen);
    const finding = await fuzzBatch(scene, drafts, sendOf, url, extent.seed + batch, coverage, findings);
    if (finding) extent.found?.(finding);
    if (batch % BATCHES_A_LINE === 0) extent.report?.(coverage.requests);
  };
  const work = async () => {
    while (!isOver(extent.requests) && !(extent.until && [...findings.values()].some(extent.until)))
      await fuzzNext(operations);
  };
  await Promise.all(Array.from({ length: extent.lanes }, work));
  const most = coverage.requests + (extent.more ?? 0);
  for (let without = coverage.withoutSuccess(operations); without.length > 0 && !isOver(most); ) {
    await fuzzNext(operations.filter(({ id }) => without.includes(id)));
    without = coverage.withoutSuccess(operations);
  }
  return { coverage, findings: [...findings.values()] };
}

async function fuzzBatch(
  scene: Scene,
  drafts: fc.Arbitrary<Draft>,
  sendOf: (draft: Draft) => Send,
  url: string,
  seed: number,
  coverage: Coverage,
  findings: Map<string, Finding>,
): Promise<Finding | null> {
  let sought: string | null = null;
  let shrinks = 0;
  let latest: { readonly draft: Draft; readonly fault: Fault } | null = null;
  const property = fc.asyncProperty(drafts, async (draft) => {
    if (sought !== null && ++shrinks > MAX_SHRINKS) return;
    for (const fault of await faultsIn(scene, draft, sendOf(draft), coverage)) {
      const what = whatOf(draft, fault);
      const known = findings.get(what);
      if (known) known.times += 1;
      if (known || (sought !== null && sought !== what)) continue;
      sought = what;
      latest = { draft, fault };
      throw new Error(what);
    }
  });
  const details = await fc.check(property, {
    numRuns: BATCH,
    seed,
    endOnFailure: false,
    interruptAfterTimeLimit: LONGEST_BATCH,
  });
  if (sought === null || latest === null) return null;
  const { draft, fault } = latest as { readonly draft: Draft; readonly fault: Fault };
  const what: string = sought;
  const curl = curlOf(url, sentOf(draft));
  const finding = {
    what,
    detail: fault.detail,
    curl,
    times: 1,
    seed: `seed ${seed}, shrunk ${details.numShrinks} times`,
  };
  findings.set(what, finding);
  return finding;
}

/** Milliseconds. Bounds above all the time for shrinking. */
const LONGEST_BATCH = 60_000;

async function faultsIn(scene: Scene, draft: Draft, send: Send, coverage: Coverage): Promise<readonly Fault[]> {
  try {
    const received = await send(sentOf(draft));
    coverage.count(draft.operation, received.status);
    remember(scene, draft, received);
    const { tool } = draft.operation;
    if (tool) return toolFaultsOf(scene.document, draft, tool, received);
    return faultsOf(scene.document, draft, received);
  } catch (error) {
    coverage.count(draft.operation, 0);
    const detail = error instanceof Error ? error.message : String(error);
    return [{ kind: 'no answer', detail }];
  }
}

/** Stores ids of replies, which later requests use. */
function remember({ things }: Scene, { operation, content }: Draft, { status, headers, body }: Received): void {
  // Only the account with a password logs in.
  const [, session] = /^sid=([\w-]{43});/.exec(String(headers['set-cookie'] ?? '')) ?? [];
  if (session !== undefined) things.set('account_session', [session]);
  if (operation.id === 'changePassword' && (status === 200 || status === 204)) {
    things.set('account_password', [(content as { readonly new_password: string }).new_password]);
  }
  if (status !== 200 && status !== 201) return;
  const [, id] = /^\{"id":"([0-9a-f-]{36})","name"/.exec(body.toString()) ?? [];
  if (id !== undefined) things.get('workflow')?.push(id);
  for (const [, name = '', value = ''] of body
    .toString()
    .matchAll(/"(next_cursor|device_code|session_id)":"([^"]+)"/g)) {
    const known = things.get(name.replace('next_', '')) ?? [];
    if (known.push(value) > MAX_REMEMBERED) known.shift();
  }
}

const MAX_REMEMBERED = 50;

function whatOf({ operation }: Draft, { kind }: Fault): string {
  return `${operation.id}: ${kind}`;
}
