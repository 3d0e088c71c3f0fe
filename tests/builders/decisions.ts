import { randomBytes } from 'node:crypto';
import { canonicalJson } from '../../adapters/formats/canonical-json.ts';
import { draftDecision } from '../../application/decisions/draft-decision.ts';
import type { Storage } from '../../application/ports.ts';
import { sha256Hex } from '../../application/sha256.ts';
import type { Owner } from '../../domain/accounts/owner.ts';
import type { KeyCaller } from '../../domain/caller.ts';
import { admitSubmission } from '../../domain/decisions/submission/admit-submission.ts';
import type { DecisionDraft, Verdict } from '../../domain/decisions/submission/decision-intake.ts';
import type { Receipt } from '../../domain/decisions/submission/receipt.ts';
import type { Submission } from '../../domain/decisions/submission/submission.ts';
import { CONTRACT_LIMITS, type Limits } from '../../domain/limits.ts';
import { TABLE_VENUES } from '../../domain/market/venues.ts';
import { ANY_SYMBOL } from '../harness/any-symbol.ts';
import { aKeyOf, anAgentOf, anIdentityOf, anOwner } from './accounts.ts';

export type AgentCaller = KeyCaller & { readonly agent_id: string };

/** An agent with its own key, of a new owner or of the owner of another agent. */
export async function anAgent(storage: Storage, mate?: AgentCaller): Promise<AgentCaller> {
  const owner = anOwner(mate && { owner_id: mate.owner_id });
  if (!mate) await storage.owners.add(owner);
  return agentOf(storage, owner);
}

/** An agent of a new owner whom an identity provider verified. */
export async function aVerifiedAgent(storage: Storage, changes: Partial<Owner> = {}): Promise<AgentCaller> {
  const owner = anOwner({ email: null, password_hash: null, ...changes });
  await storage.identities.addOwner(anIdentityOf(owner), owner);
  return agentOf(storage, owner);
}

async function agentOf(storage: Storage, owner: Owner): Promise<AgentCaller> {
  const agent = anAgentOf(owner);
  const { agent_id } = agent;
  await storage.owners.addAgent(agent, 100);
  const key = aKeyOf(owner, { agent_id });
  await storage.apiKeys.add(key, 100);
  const { owner_id, key_prefix, permission_mode } = key;
  return { credential: 'api_key', owner_id, agent_id, key_prefix, permission_mode, tier: owner.tier };
}

/** A decision for an hour of bitcoin, with data up to now. */
export function aSubmission(at: Date, changes: Partial<Submission> = {}): Submission {
  const instrument = { market: 'crypto', symbol: 'BTC', venue: 'COINBASE', asset_class: 'spot', quote_currency: 'USD' };
  const call = { direction: 'bullish', horizon_kind: 'holding_seconds', horizon_value: 3_600 } as const;
  return { ...instrument, ...call, data_cutoff: at.toISOString(), ...changes };
}

/** The same decision with data so old that it is retroactive. */
export function hindsight(at: Date, changes: Partial<Submission> = {}): Submission {
  return aSubmission(new Date(at.getTime() - 86_400_000), changes);
}

export interface DraftOptions {
  readonly limits?: Partial<Limits>;
  readonly refuseTripped?: boolean;
  readonly idempotencyKey?: string;
  /** By default that of new records. */
  readonly method?: string;
  /** By default one of the owner's own. */
  readonly network?: string;
}

/** The draft of a submission as the service makes it at `at`. */
export function aDraft(
  agent: AgentCaller,
  at: Date,
  submission: Submission,
  options: DraftOptions = {},
): DecisionDraft {
  const admission = admitSubmission(
    submission,
    {
      symbols: ANY_SYMBOL,
      venues: TABLE_VENUES,
    },
    at,
  );
  if ('faults' in admission) throw new Error(JSON.stringify(admission.faults));
  const canonical = canonicalJson(submission);
  const { idempotencyKey: key, limits, refuseTripped: refuseTrippedSubmits = false } = options;
  const fingerprint = sha256Hex(canonical);
  const idempotency = key === undefined ? null : { key, fingerprint };
  const settings = { limits: { ...CONTRACT_LIMITS, ...limits }, refuseTrippedSubmits, sessionSecret: 's'.repeat(32) };
  const request = { agent, submission, canonical, idempotency, network: options.network ?? agent.owner_id };
  const draft = draftDecision(request, admission, settings);
  return { ...draft, method: options.method ?? draft.method };
}

/** Limits that no test reaches. */
export const NO_LIMITS: Partial<Limits> = {
  submitsPerHour: 1_000_000,
  cooldownSeconds: 0,
  retroactivePerDay: 1_000_000,
  agentHoursPerNetwork: 1_000_000,
};

/** The receipt of a draft that must have been accepted. */
export function receiptOf(verdict: Verdict): Receipt {
  if (!('receipt' in verdict)) throw new Error(`The verdict is ${JSON.stringify(verdict)}`);
  return verdict.receipt;
}

/** The number of each verdict. */
export function tally(verdicts: readonly Verdict[]): Readonly<Record<string, number>> {
  return Object.fromEntries(
    [...Map.groupBy(verdicts, ({ verdict }) => verdict)].map(([name, all]) => [name, all.length]),
  );
}

export function randomName(): string {
  return randomBytes(8).toString('hex');
}
