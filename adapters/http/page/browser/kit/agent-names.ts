import { ask } from './ask.ts';

/** An agent of the owner, as far as a list names it. */
export interface NamedAgent {
  readonly agent_id: string;
  readonly name: string;
}

/** Also of archived ones. Their names are no reason to show no list: without them it shows ids. */
export async function readAgentNames(signal: AbortSignal): Promise<readonly NamedAgent[]> {
  const path = '/api/v1/owner/agents?include_archived=true&limit=100';
  const page = await ask<{ readonly items: readonly NamedAgent[] }>(path, { signal }).catch(() => null);
  return page?.items ?? [];
}
