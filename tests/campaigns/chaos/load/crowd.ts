import type { Random } from '../../../../scripts/random.ts';
import type { Caller } from '../../stage/callers.ts';
import type { Journal } from '../journal.ts';
import type { Stage } from '../stage/stage.ts';
import { type Call, type Reply, send } from './wire.ts';

/** An agent with the key that it has now. */
export interface Agent {
  readonly caller: Caller;
  key: string;
  key_prefix: string;
  /** Its key is being rotated, or nobody knows yet whether it was. */
  rotating: boolean;
  /** The rotation has come to no answer. */
  unsure: boolean;
  readonly retired: Set<string>;
}

export interface Workflow {
  readonly owner: Caller;
  readonly id: string;
  version: number;
  /** One hand at a time changes it. */
  busy: boolean;
}

/** Who asks, and what they share. */
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

interface Asked extends Omit<Call, 'headers' | 'right'> {
  readonly headers?: Readonly<Record<string, string>>;
  readonly right: readonly string[];
}

/** By the agent's key of this moment. Beside a rotation the key may just have been replaced. */
export async function asAgent(crowd: Crowd, agent: Agent, asked: Asked): Promise<Reply> {
  const { key, key_prefix } = agent;
  const headers = { 'x-api-key': key, 'content-type': 'application/json', ...asked.headers };
  // Judged when the reply has come: a rotation may have begun in the meantime.
  const right = () => [...asked.right, ...(agent.rotating || agent.retired.has(key) ? ['401 UNAUTHORIZED'] : [])];
  const { owner_id } = agent.caller;
  return toSomeNode(crowd, { ...asked, headers, key_prefix, owner_id, right });
}

/** From a page of the service that the owner is logged in to. */
export function asOwner(crowd: Crowd, { owner_id, session }: Caller, asked: Asked): Promise<Reply> {
  const headers = {
    cookie: `sid=${session}`,
    'sec-fetch-site': 'same-origin',
    'content-type': 'application/json',
    ...asked.headers,
  };
  return toSomeNode(crowd, { ...asked, headers, owner_id });
}

export function asAnybody(crowd: Crowd, asked: Asked): Promise<Reply> {
  return toSomeNode(crowd, { ...asked, headers: asked.headers ?? {} });
}

export function toSomeNode({ journal, stage, random }: Crowd, call: Call): Promise<Reply> {
  const urls = stage.nodes.map(({ url }) => url);
  return send(journal, urls, random.below(urls.length), call);
}

export function anyOf<T>(random: Random, from: readonly T[]): T | undefined {
  return from[random.below(from.length)];
}
