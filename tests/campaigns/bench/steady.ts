import type { NoteRatio } from './aims.ts';
import { type Measured, median, medianOf } from './measured.ts';
import type { Extent } from './rounds.ts';
import { contendersOf, type ScenarioName } from './scenarios.ts';
import type { Stage } from './stage.ts';

/** The rate, as a share of the service's maximum. */
const SHARE = 0.8;

/**
 * The latency of requests at a constant rate, 80 % of what 64 connections without pauses reach; from the time at which each
 * request was due. As lines.
 *
 * @param onStage runs the work on a stage of its own: autovacuum follows the submits of an earlier part
 */
export async function benchSteady(
  onStage: (work: (stage: Stage) => Promise<string>) => Promise<string>,
  extent: Extent,
  note: NoteRatio,
): Promise<string> {
  const lines = ['          maximum per second  sent per second   p50 ms   p99 ms  p99/p50'];
  for (const name of ['submit', 'read'] as const) {
    lines.push(await onStage((stage) => lineOf(name, stage, extent, (ratio) => note(AIM_OF[name], ratio))));
  }
  return lines.join('\n');
}

const AIM_OF = { submit: 'p99 / p50 of submits at 80 %', read: 'p99 / p50 of reads at 80 %' } as const;

async function lineOf(
  name: ScenarioName,
  stage: Stage,
  { rounds, seconds, warmUp }: Extent,
  note: (ratio: number) => void,
): Promise<string> {
  const [service] = contendersOf(name, stage, null);
  if (!service) throw new Error('The contenders do not include the service.');
  await service.measure(warmUp);
  const [maximum, steady]: [Measured[], Measured[]] = [[], []];
  for (let round = 0; round < rounds; round += 1) {
    const saturated = await service.measure(seconds);
    maximum.push(saturated);
    steady.push(await service.measure(seconds, SHARE * saturated.perSecond));
  }
  const { perSecond, p50, p99 } = medianOf(steady);
  const figures = [medianOf(maximum).perSecond.toFixed(0).padStart(17), perSecond.toFixed(0).padStart(16)];
  const ratio = median(steady.map((round) => round.p99 / round.p50));
  note(ratio);
  const times = [p50.toFixed(1), p99.toFixed(1), ratio.toFixed(1)].map((each) => each.padStart(8));
  return [name.padEnd(10), ...figures, ...times].join(' ');
}
