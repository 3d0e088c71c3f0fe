import { Gauge, type Registry } from 'prom-client';
import type { Ports } from '../../application/ports.ts';
import { CIRCUIT_STATES, type Circuit } from '../../domain/circuits/circuit.ts';
import { CIRCUIT } from '../../domain/limits.ts';
import { SECOND } from '../../domain/time.ts';

/** Looked up when it is scraped; without a series when the database does not answer, so that a scrape still shows the rest. */
export function circuitGauges(registry: Registry, { circuits, clock }: Pick<Ports, 'circuits' | 'clock'>) {
  const gauge = (name: string, help: string, ...more: string[]) =>
    new Gauge({ name, help, labelNames: ['coin', ...more], registers: [registry] });
  const states = gauge(
    'stancebook_circuit_state',
    '1 for the state that the circuit of a stablecoin is in, 0 for the others.',
    'state',
  );
  const drift = gauge('stancebook_peg_drift_bps', 'How far the newest observation of a stablecoin is from a dollar.');
  const fresh = gauge('stancebook_peg_sources_fresh', 'Exchanges whose word in the newest observation is still fresh.');
  const age = gauge('stancebook_peg_observation_age_seconds', 'Since the newest observation of a stablecoin.');
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
