import type { Random } from '../../../../scripts/random.ts';
import type { Caller } from '../../stage/callers.ts';
import type { Journal } from '../journal.ts';
import type { Stage } from '../stage/stage.ts';
import { type Call, type Reply, send } from './wire.ts';

/** An agent with its current key. */
export interface Agent {
  readonly caller: Caller;
  key: string;
  key_prefix: string;
  /** Whether a rotation of its key is in progress or has an unknown result. */
  rotating: boolean;
  /** Whether the rotation has no answer. */
  unsure: boolean;
  readonly retired: Set<string>;
}

export interface Workflow {
  readonly owner: Caller;
  readonly id: string;
  version: number;
  /** Whether a sender is changing it: one at a time may. */
  busy: boolean;
}

/** The callers and what they share. */
export interface Crowd {
  readonly journal: Journal;
  readonly stage: Stage;
  readonly random: Random;
  readonly agents: readonly Agent[];
  readonly workflows: Workflow[];
}

export function gatherCrowd(stage: Stage, journal: Journal, random: Random): Crowd {
  const agents = stage.callers.map((caller): Agent => {
    const { key, key_prefix } = caller;
    return { caller, key, key_prefix, rotating: false, unsure: false, retired: new Set() };
  });
  return { journal, stage, random, agents, workflows: [] };
}

interface PartialCall extends Omit<Call, 'headers' | 'right'> {
  readonly headers?: Readonly<Record<string, string>>;
  readonly right: readonly string[];
}

/** Sends with the agent's current key. During a rotation the key may just have been replaced. */
export async function asAgent(crowd: Crowd, agent: Agent, call: PartialCall): Promise<Reply> {
  const { key, key_prefix } = agent;
  const headers = { 'x-api-key': key, 'content-type': 'application/json', ...call.headers };
  // Evaluated after the reply: a rotation may have begun in the meantime.
  const right = () => [...call.right, ...(agent.rotating || agent.retired.has(key) ? ['401 UNAUTHORIZED'] : [])];
  const { owner_id } = agent.caller;
  return toSomeNode(crowd, { ...call, headers, key_prefix, owner_id, right });
}

/** Sends from a page of the service to which the owner is logged in. */
export function asOwner(crowd: Crowd, owner: Caller, call: PartialCall): Promise<Reply> {
  const headers = { ...sessionHeaders(owner), 'content-type': 'application/json', ...call.headers };
  return toSomeNode(crowd, { ...call, headers, owner_id: owner.owner_id });
}

export function sessionHeaders({ session }: Caller) {
  return { cookie: `sid=${session}`, 'sec-fetch-site': 'same-origin' };
}

export function asAnonymous(crowd: Crowd, call: PartialCall): Promise<Reply> {
  return toSomeNode(crowd, { ...call, headers: call.headers ?? {} });
}

function toSomeNode({ journal, stage, random }: Crowd, call: Call): Promise<Reply> {
  const urls = stage.nodes.map(({ url }) => url);
  return send(journal, urls, random.below(urls.length), call);
}

export function anyOf<T>(random: Random, from: readonly T[]): T | undefined {
  return from[random.below(from.length)];
}
