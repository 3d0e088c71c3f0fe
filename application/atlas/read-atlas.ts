import type { Built } from '../../domain/atlas/atlas-store.ts';
import type { Network } from '../../domain/atlas/network.ts';
import type { Scope } from '../../domain/atlas/scopes.ts';
import type { Seed } from '../../domain/atlas/seeds.ts';
import { ATLAS } from '../../domain/limits.ts';
import { Problem } from '../../domain/problem.ts';
import type { Ports } from '../ports.ts';

interface NetworkQuery {
  /** Whether retroactive records count, too; false by default. */
  readonly include_retroactive?: boolean | undefined;
}

/** @throws Problem SERVICE_UNAVAILABLE before the first build */
export async function readNetwork({ atlas }: Pick<Ports, 'atlas'>, query: NetworkQuery): Promise<Built<Network>> {
  return (await atlas.network(scopeOf(query))) ?? notYet();
}

interface SeedQuery extends NetworkQuery {
  readonly limit?: number | undefined;
  readonly node?: string | undefined;
}

/**
 * Up to `limit` seeds, at most ATLAS.seeds; only those of one node where one is named.
 * @throws Problem SERVICE_UNAVAILABLE before the first build
 */
export async function readSeeds(
  { atlas }: Pick<Ports, 'atlas'>,
  { limit = ATLAS.defaultSeeds, node, ...query }: SeedQuery,
): Promise<Built<{ readonly items: readonly Seed[] }>> {
  return (
    (await atlas.seeds({ scope: scopeOf(query), node: node ?? null, limit: Math.min(limit, ATLAS.seeds) })) ?? notYet()
  );
}

function scopeOf({ include_retroactive = false }: NetworkQuery): Scope {
  return include_retroactive ? 'all' : 'realtime';
}

function notYet(): never {
  throw new Problem('SERVICE_UNAVAILABLE', 'The atlas has not been built yet.', {
    suggestion: 'It is built for the first time shortly after the service has started: ask again in a few seconds.',
    retry_after_seconds: 5,
  });
}
