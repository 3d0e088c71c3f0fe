import { Gauge, type Registry } from 'prom-client';
import type { Ports } from '../../application/ports.ts';
import { CIRCUIT_STATES, type Circuit } from '../../domain/circuits/circuit.ts';
import { CIRCUIT } from '../../domain/limits.ts';
import { SECOND } from '../../domain/time.ts';

/** Read at each scrape; no series when the database does not answer, so that the scrape still shows the rest. */
export function circuitGauges(registry: Registry, { circuits, clock }: Pick<Ports, 'circuits' | 'clock'>) {
  const gauge = (name: string, help: string, ...more: string[]) =>
    new Gauge({ name, help, labelNames: ['coin', ...more], registers: [registry] });
  const states = gauge(
    'stancebook_circuit_state',
    '1 for the current state of the circuit of a stablecoin, 0 for the others.',
    'state',
  );
  const drift = gauge('stancebook_peg_drift_bps', 'Distance of the newest observation of a stablecoin from a dollar.');
  const fresh = gauge(
    'stancebook_peg_sources_fresh',
    'Exchanges whose price in the newest observation is still fresh.',
  );
  const age = gauge('stancebook_peg_observation_age_seconds', 'Age of the newest observation of a stablecoin.');
  const set = (circuit: Circuit, now: Date) => {
    const { coin, state, peg } = circuit;
    for (const each of CIRCUIT_STATES) states.set({ coin, state: each }, each === state ? 1 : 0);
    fresh.set(
      { coin },
      peg?.sources.filter(({ at }) => now.getTime() - at.getTime() <= CIRCUIT.sourceFreshness).length ?? 0,
    );
    if (!peg) return;
    drift.set({ coin }, peg.drift_bps);
    age.set({ coin }, (now.getTime() - peg.observed_at.getTime()) / SECOND);
  };
  return async () => {
    for (const each of [states, drift, fresh, age]) each.reset();
    const [now, all] = await Promise.all([clock.now().catch(() => null), circuits.all().catch(() => [])]);
    if (now) for (const circuit of all) set(circuit, now);
  };
}
