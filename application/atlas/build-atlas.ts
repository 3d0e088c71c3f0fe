import type { Atlas } from '../../domain/atlas/atlas-store.ts';
import type { AtlasSurvey } from '../../domain/atlas/atlas-survey.ts';
import { LEAST_BANDED } from '../../domain/atlas/bands.ts';
import { choose, networkOf } from '../../domain/atlas/network.ts';
import { seedsOf } from '../../domain/atlas/seeds.ts';
import { partThresholds, type Thresholds } from '../../domain/cohorts/suppression.ts';
import { ATLAS } from '../../domain/limits.ts';
import { instrumentKey } from '../../domain/market/instrument.ts';
import type { Ports } from '../ports.ts';

interface BuildPorts extends Pick<Ports, 'atlas'> {
  readonly settings: Pick<Ports['settings'], 'wisdom'>;
}

/**
 * Builds the atlas when it is due (settled.md section 10): every quarter of an hour, at once when there is none, and when
 * public records have doubled, so that whoever begins is not left with an empty one. False when it is not due, or
 * another process is at it.
 */
export async function keepAtlas(ports: BuildPorts & Pick<Ports, 'clock'>): Promise<boolean> {
  const { built, records } = await ports.atlas.standing();
  const age = built ? (await ports.clock.now()).getTime() - built.generated_at.getTime() : Number.POSITIVE_INFINITY;
  const hasDoubled = records > 0 && records >= 2 * (built?.records ?? 0);
  return age >= ATLAS.rebuildEvery || age < 0 || hasDoubled ? buildAtlas(ports) : false;
}

/** Builds it now; false when another process is at it. */
export function buildAtlas({ atlas, settings }: BuildPorts): Promise<boolean> {
  return atlas.build((survey) => atlasOf(survey, settings.wisdom));
}

/** Everything in it is a cohort that a wisdom query would tell, or adds up from such. */
async function atlasOf(survey: AtlasSurvey, thresholds: Thresholds): Promise<Atlas> {
  const { minProducers, minSamples } = thresholds;
  const least = { minProducers, minSamples: Math.max(minSamples, LEAST_BANDED) };
  const chosen = choose(await survey.tallies(least));
  const instruments = chosen.instruments.map(instrumentKey);
  const months = await survey.months(instruments, minProducers === 1 ? least : partThresholds(thresholds));
  const network = networkOf(chosen, months, thresholds);
  const workflows = chosen.workflows.map(({ hash }) => hash);
  const candidates = await survey.newest({ instruments, workflows }, ATLAS.candidatesPerNode);
  const counts = await survey.counts(instruments, minProducers);
  return { records: await survey.records(), network, seeds: seedsOf(network, candidates, counts, thresholds) };
}
