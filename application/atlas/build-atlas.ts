import type { Atlas, AtlasView, Built } from '../../domain/atlas/atlas-store.ts';
import {
  type AtlasSurvey,
  byScope,
  type Chosen,
  LEAST_BANDED,
  SCOPES,
  type Scope,
  type Tallies,
} from '../../domain/atlas/atlas-survey.ts';
import { choose, type Network, networkOf } from '../../domain/atlas/network.ts';
import { type Seed, seedsOf } from '../../domain/atlas/seeds.ts';
import { type CohortRules, partThresholds } from '../../domain/cohorts/suppression.ts';
import { ATLAS } from '../../domain/limits.ts';
import { instrumentKey } from '../../domain/market/instrument.ts';
import { Problem } from '../../domain/problem.ts';
import type { Ports } from '../ports.ts';

interface BuildPorts extends Pick<Ports, 'atlas'> {
  readonly settings: Pick<Ports['settings'], 'wisdom'>;
}

/**
 * Builds the atlas when it is due (settled.md section 10): every quarter of an hour; at once when there is none, when
 * it was built with other thresholds, when an operator asks for it or a public record has left or come back; and when
 * the public records have doubled, so that a new service does not keep an empty one. False when it is not due, or
 * another process is building it.
 */
export async function keepAtlas(ports: BuildPorts & Pick<Ports, 'clock'>): Promise<boolean> {
  const { built, records } = await ports.atlas.state();
  const isFresh =
    built !== null &&
    isSame(built.thresholds, ports.settings.wisdom) &&
    !built.expired &&
    isWithin(ATLAS.rebuildEvery, built.generated_at, await ports.clock.now()) &&
    (records === 0 || records < 2 * built.records);
  return isFresh ? false : buildAtlas(ports);
}

function isSame(a: CohortRules, b: CohortRules): boolean {
  return a.minProducers === b.minProducers && a.minSamples === b.minSamples && a.ownerProof === b.ownerProof;
}

/** A time ahead of now is from a clock that has been set back since. */
function isWithin(period: number, at: Date, now: Date): boolean {
  const age = now.getTime() - at.getTime();
  return age >= 0 && age < period;
}

/** Builds it now; false when another process is building it. */
export function buildAtlas({ atlas, settings }: BuildPorts): Promise<boolean> {
  return atlas.build((survey) => atlasOf(survey, settings.wisdom));
}

/** Everything in it is a cohort that a wisdom query would show, or a sum of such cohorts. */
async function atlasOf(survey: AtlasSurvey, thresholds: CohortRules): Promise<Atlas> {
  const { minProducers, minSamples, ownerProof } = thresholds;
  const least = { minProducers, ownerProof, minSamples: Math.max(minSamples, LEAST_BANDED) };
  const tallies = await survey.tallies(least);
  const chosen = byScope((scope) => choose(tallies[scope]));
  const instruments = [...new Set(SCOPES.flatMap((scope) => chosen[scope].instruments.map(instrumentKey)))];
  const months = await survey.months(
    instruments,
    minProducers === 1 ? least : { ...partThresholds(thresholds), ownerProof },
  );
  const cohorts = await survey.cohorts(instruments);
  const viewOf = async (scope: Scope): Promise<AtlasView> => {
    const network = networkOf(chosen[scope], months[scope], thresholds);
    const candidates = await survey.newest(named(scope, chosen[scope]), ATLAS.candidatesPerNode);
    return { network, seeds: seedsOf({ scope, network }, candidates, cohorts, thresholds) };
  };
  const views = { realtime: await viewOf('realtime'), all: await viewOf('all') };
  return { records: await survey.records(), thresholds, views };
}

function named(scope: Scope, { instruments, workflows }: Tallies): Chosen {
  return { scope, instruments: instruments.map(instrumentKey), workflows: workflows.map(({ hash }) => hash) };
}

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
