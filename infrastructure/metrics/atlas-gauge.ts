import { Gauge, type Registry } from 'prom-client';
import type { Ports } from '../../application/ports.ts';
import { ATLAS } from '../../domain/limits.ts';
import { SECOND } from '../../domain/time.ts';

export type AtlasPorts = Pick<Ports, 'atlas' | 'clock'>;

/** Read at each scrape; NaN before the first build and when the database does not answer. */
export function atlasGauge(registry: Registry, { atlas, clock }: AtlasPorts) {
  const help = `Age of the served atlas; a build is due after ${ATLAS.rebuildEvery / SECOND}.`;
  const age = new Gauge({ name: 'stancebook_atlas_age_seconds', help, registers: [registry] });
  return async () => {
    const now = await clock.now().catch(() => null);
    const state = now && (await atlas.state().catch(() => null));
    const built = state?.built?.generated_at;
    age.set(now && built ? (now.getTime() - built.getTime()) / SECOND : Number.NaN);
  };
}
