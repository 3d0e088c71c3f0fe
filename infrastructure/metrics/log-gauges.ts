import { Gauge, type Registry } from 'prom-client';
import type { Ports } from '../../application/ports.ts';
import { SIGNING_STATES, type SigningState } from '../../domain/service-processes.ts';
import { SECOND } from '../../domain/time.ts';

/** Read at each scrape; NaN while there is no log, and when the database does not answer. */
export function logGauges(registry: Registry, { log, clock }: Pick<Ports, 'log' | 'clock'>) {
  const gauge = (name: string, help: string) => new Gauge({ name, help, registers: [registry] });
  const size = gauge('stancebook_log_size', 'Leaves of the newest signed checkpoint of the newest evidence log.');
  const signed = gauge('stancebook_log_signed_timestamp_seconds', 'When that checkpoint was signed (Unix time).');
  const pending = gauge('stancebook_log_pending_events', 'Events without a leaf, with those that are not ready yet.');
  const lag = gauge('stancebook_log_lag_seconds', 'How long the oldest submission or outcome has waited for its leaf.');
  return async () => {
    const now = await clock.now().catch(() => null);
    const overview = now && (await overviewOf(log, now).catch(() => null));
    size.set(overview?.size ?? Number.NaN);
    signed.set(overview?.signed_at ? overview.signed_at.getTime() / SECOND : Number.NaN);
    pending.set(overview?.pending ?? Number.NaN);
    lag.set(now && overview ? (now.getTime() - (overview.waiting_since ?? now).getTime()) / SECOND : Number.NaN);
  };
}

async function overviewOf(log: Ports['log'], now: Date) {
  const newest = await log.newest();
  return newest && log.overview(newest.log, now);
}

/** Whether this process signs the evidence log; no series in a process that does not write it. */
export function signingGauge(registry: Registry, signing: () => SigningState | null): void {
  new Gauge({
    name: 'stancebook_log_state',
    help: '1 for the current state of signing the evidence log, 0 for the others.',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      const current = signing();
      if (current === null) return;
      for (const state of SIGNING_STATES) this.set({ state }, state === current ? 1 : 0);
    },
  });
}
