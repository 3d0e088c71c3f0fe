import { randomBytes } from 'node:crypto';
import { HORIZON_KINDS } from '../../domain/decisions/call.ts';
import {
  type AdmittedSubmission,
  admitSubmission,
  type SubmissionFaults,
} from '../../domain/decisions/submission/admit-submission.ts';
import {
  type GroupSubmission,
  memberFaults,
  memberPath,
  memberSubmissions,
  repeatedHorizons,
} from '../../domain/decisions/submission/decision-group.ts';
import type { DecisionDraft, LimitRefusal, Refused, Taken } from '../../domain/decisions/submission/decision-intake.ts';
import { type AcceptedReply, acceptedReply, repetitionOf } from '../../domain/decisions/submission/receipt.ts';
import { groupId } from '../../domain/identifiers.ts';
import { GROUP_HORIZONS, submitBytesPerHour } from '../../domain/limits.ts';
import { Problem, type ProblemDetail } from '../../domain/problem.ts';
import { LIMIT_CODES } from '../../domain/quotas/submit-limits.ts';
import { currentNames, newestNames } from '../market/names.ts';
import type { Ports } from '../ports.ts';
import { draftDecision, refuseValues, refuseVerdict, relationProblem, type SubmitRequest } from './draft-decision.ts';
import { withPriceWarnings } from './price-gaps.ts';
import { listingsOf, type PreviewReply, previewReply, REPLANS, wakeSweeps } from './submit-decision.ts';

/** The canonical body is that of the group: its fingerprint is the one of the key. */
export interface GroupRequest extends Omit<SubmitRequest, 'submission'> {
  readonly group: GroupSubmission;
}

export interface SubmittedGroup {
  readonly reply: {
    readonly group_id: string;
    /** In the order of the horizons. */
    readonly members: readonly AcceptedReply[];
  };
  /** The reply was recorded by an earlier request with the same idempotency key. */
  readonly replayed: boolean;
}

/**
 * Accepts several horizons of one decision, all of them or none (securities.md 5), as `submitDecision` accepts one.
 * @param shapeFaults invalid values that the request parser has found already; returned together with the others
 * @throws Problem as `submitDecision`
 */
export async function submitGroup(
  ports: Ports,
  request: GroupRequest,
  shapeFaults: readonly ProblemDetail[] = [],
): Promise<SubmittedGroup> {
  let at = await ports.clock.lastSeen();
  let fresh = false;
  for (let tries = 0; tries < REPLANS; tries++) {
    const admitted = admitGroup(request, ports, at, shapeFaults);
    if (!('faults' in admitted)) {
      const [draft, ...others] = await draftsOf(ports, request, admitted);
      const verdict = await ports.intake.submit(draft, others);
      if (verdict.verdict !== 'replan') return answer(ports, request, verdict);
      at = verdict.received_at;
      await newestNames(ports.names);
    } else if (fresh) {
      return refuseValues(ports, { agent: request.agent, submission: request.group }, admitted);
    } else {
      const { agent, idempotency } = request;
      const recorded = idempotency && (await ports.intake.recorded(agent.agent_id, idempotency.key));
      const repetition = repetitionOf(idempotency, recorded);
      if (repetition) return answer(ports, request, repetition);
      at = await ports.clock.now();
      await newestNames(ports.names);
    }
    fresh = true;
  }
  throw new Problem('SERVICE_UNAVAILABLE', 'The clock moved while the decisions were being written.');
}

interface GroupPreview extends Pick<PreviewReply, 'valid' | 'submission_origin' | 'would_wait' | 'cooldown'> {
  /** In the order of the horizons. */
  readonly members: readonly Pick<PreviewReply, 'normalized' | 'window' | 'warnings'>[];
}

/**
 * Refuses as a submit would and changes nothing, as `previewDecision` does; `would_wait` is about all of the group.
 * @throws Problem VALIDATION_ERROR (422), INVALID_SYMBOL, STABLECOIN_CIRCUIT_OPEN; SUBMIT_FREQUENCY_EXCEEDED and
 * RETROACTIVE_QUOTA_EXCEEDED for a group that is larger than the limit itself
 */
export async function previewGroup(
  ports: Ports,
  request: GroupRequest,
  shapeFaults: readonly ProblemDetail[] = [],
): Promise<GroupPreview> {
  await currentNames(ports.names);
  const admitted = admitGroup(request, ports, await ports.clock.now(), shapeFaults);
  if ('faults' in admitted) return refuseValues(ports, { agent: request.agent, submission: request.group }, admitted);
  const [draft, ...others] = await draftsOf(ports, request, admitted);
  const preview = await ports.intake.preview(draft, others);
  if (preview.refused.length > 0) throw relationProblem(draft.related, preview.refused);
  if (preview.circuit_state === 'tripped' && draft.refuse_tripped)
    return refuseVerdict({ verdict: 'circuit_open' }, draft.limits);
  const problems = preview.would_wait.map((refusal) => sizeProblem(ports, request.group, refusal));
  // No wait ends a limit that is smaller than the group.
  const lasting = problems.find((problem) => problem?.retry_after_seconds === null);
  if (lasting) throw lasting;
  const { valid, submission_origin, would_wait, cooldown } = previewReply(draft, preview);
  const members = [draft, ...others].map((each) => {
    const { normalized, window, warnings } = previewReply(each, preview);
    return { normalized, window, warnings };
  });
  return { valid, submission_origin, members, would_wait, cooldown };
}

/** The faults of all decisions at once, up to as many as a group may have; what they share is reported once. */
function admitGroup(
  { group: sent }: GroupRequest,
  ports: Ports,
  at: Date,
  shapeFaults: readonly ProblemDetail[],
): AdmittedSubmission[] | SubmissionFaults {
  const listings = listingsOf(ports);
  const first = sent.horizons.slice(0, GROUP_HORIZONS.most);
  // Of too many the schema judges none, so that they may be anything.
  const isJudged = first.length === sent.horizons.length || first.every(isHorizon);
  const group = { ...sent, horizons: isJudged ? first : [] };
  const judged = memberSubmissions(group).map((submission, index) =>
    admitSubmission(submission, listings, at, memberFaults(shapeFaults, index)),
  );
  const ofMembers = judged.flatMap((each, index) =>
    'faults' in each ? each.faults.map((fault) => ({ ...fault, path: memberPath(fault.path, index) })) : [],
  );
  const all = [...shapeFaults, ...ofMembers, ...repeatedHorizons(group)];
  const faults = [...Map.groupBy(all, ({ path }) => path).values()].flatMap(([first]) => first ?? []);
  if (faults.length === 0) return judged.flatMap((each) => ('faults' in each ? [] : [each]));
  const advice = judged.map((each) => ('faults' in each ? each.symbol_advice : null));
  const onlySymbol = faults.length === 1 ? (advice.find((each) => each !== null) ?? null) : null;
  return { faults, symbol_advice: onlySymbol };
}

/** Whether it is a horizon and nothing else. */
function isHorizon(sent: unknown): boolean {
  const { horizon_kind, horizon_value, ...others } = Object(sent);
  return HORIZON_KINDS.includes(horizon_kind) && Number.isInteger(horizon_value) && Object.keys(others).length === 0;
}

type Drafts = readonly [DecisionDraft, ...DecisionDraft[]];

/** Each decision is sealed with a flat body of its own; the key is that of the group. */
async function draftsOf(
  ports: Ports,
  { group, ...request }: GroupRequest,
  admitted: readonly AdmittedSubmission[],
): Promise<Drafts> {
  const id = groupId(randomBytes(12));
  const drafts = memberSubmissions(group).map(async (submission, index) => {
    const admission = admitted[index];
    if (!admission) throw new TypeError('A group is admitted as a whole');
    const warned = await withPriceWarnings(ports, submission, admission);
    const member = { ...request, submission, canonical: ports.canonicalJson(submission) };
    const place = { id, of: group.horizons.length, place: index + 1 };
    return { ...draftDecision(member, warned, ports.settings), group: place };
  });
  const [first, ...others] = await Promise.all(drafts);
  if (!first) throw new TypeError('A group has horizons');
  return [first, ...others];
}

function answer(ports: Ports, request: GroupRequest, verdict: Taken | Refused): SubmittedGroup {
  if (!('receipt' in verdict)) {
    throw (
      sizeProblem(ports, request.group, verdict) ??
      refuseVerdict(verdict, ports.settings.limits, request.group.related_records)
    );
  }
  const receipts = [verdict.receipt, ...(verdict.others ?? [])];
  const group_id = verdict.receipt.group?.id;
  if (group_id === undefined) throw new TypeError('The receipt of a group names it');
  if (verdict.verdict === 'accepted') for (const receipt of receipts) wakeSweeps(ports, receipt);
  return { reply: { group_id, members: receipts.map(acceptedReply) }, replayed: verdict.verdict === 'replayed' };
}

/** The refusal of a limit that each of the decisions counts in; null for others. */
function sizeProblem(
  { settings, canonicalJson }: Ports,
  group: GroupSubmission,
  refused: Refused | LimitRefusal,
): Problem | null {
  const { submitsPerHour, retroactivePerDay } = settings.limits;
  const needed = group.horizons.length;
  if (refused.verdict === 'frequency') {
    const counted = `An agent may submit ${submitsPerHour} decisions in a UTC hour`;
    return countProblem(refused, { counted, most: submitsPerHour, needed, ways: ['wait for the next UTC hour'] });
  }
  if (refused.verdict === 'retroactive_quota') {
    const counted = `An owner may submit ${retroactivePerDay} retroactive decisions in a UTC day`;
    const ways = ['wait for 00:00 UTC', 'submit realtime decisions'];
    return countProblem(refused, { counted, most: retroactivePerDay, needed, ways });
  }
  if (refused.verdict !== 'hour_bytes') return null;
  const bytes = memberSubmissions(group).map((each) => Buffer.byteLength(canonicalJson(each)));
  const all = bytes.reduce((sum, each) => sum + each, 0);
  return bytesProblem(refused, submitBytesPerHour(settings.limits), all);
}

interface CountLimit {
  /** The begin of the message. */
  readonly counted: string;
  readonly most: number;
  readonly needed: number;
  /** To be accepted; the first one is to wait. */
  readonly ways: readonly string[];
}

function countProblem(
  { verdict, retry_after_seconds, left = 0 }: Extract<LimitRefusal, { readonly left?: number }>,
  { counted, most, needed, ways: [wait = '', ...others] }: CountLimit,
): Problem {
  const lasts = needed > most;
  const fewer = left < GROUP_HORIZONS.least && lasts ? most : left;
  const ways = [
    ...(lasts ? [] : [wait]),
    ...(fewer < GROUP_HORIZONS.least ? [] : [`send fewer horizons: at most ${fewer}`]),
    ...(lasts && fewer < GROUP_HORIZONS.least ? ['submit one decision: POST /api/v1/agent/decisions'] : []),
    ...others,
  ];
  const are = left === 1 ? 'is' : 'are';
  const message = `${counted}; ${left} ${are} left in this one, and this group needs ${needed}.`;
  return new Problem(LIMIT_CODES[verdict], message, {
    retry_after_seconds: lasts ? null : retry_after_seconds,
    suggestion: sentence(ways),
  });
}

function bytesProblem(
  { verdict, used_bytes, retry_after_seconds }: Extract<LimitRefusal, { readonly verdict: 'hour_bytes' }>,
  most: number,
  needed: number,
): Problem {
  const message = `An agent may submit bodies of ${most} bytes in a UTC hour; ${used_bytes} are used in this one, and this group needs ${needed}: each horizon counts the whole body.`;
  const smaller = ['send fewer horizons', 'a shorter body'];
  return new Problem(LIMIT_CODES[verdict], message, {
    retry_after_seconds: needed > most ? null : retry_after_seconds,
    suggestion: sentence(needed > most ? smaller : ['wait for the next UTC hour', ...smaller]),
  });
}

/** Any of these ways. */
function sentence(ways: readonly string[]): string {
  const text = ways.join(', or ');
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`;
}
