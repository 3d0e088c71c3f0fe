import { Gauge, type Registry } from 'prom-client';
import type { Ports } from '../../application/ports.ts';
import type { LogPolicy } from '../../domain/log/notes/policy.ts';
import type { WitnessReport } from '../../domain/log/notes/signature-store.ts';
import { SECOND } from '../../domain/time.ts';

/** Read at each scrape; no series when the database does not answer, and without a policy. */
export function witnessGauge(
  registry: Registry,
  { log, signatures, clock }: Pick<Ports, 'log' | 'signatures' | 'clock'>,
  policy: LogPolicy,
) {
  const age = new Gauge({
    name: 'stancebook_log_witness_age_seconds',
    help: 'How long ago a witness of the policy cosigned a checkpoint last; +Inf: never.',
    labelNames: ['witness'],
    registers: [registry],
  });
  return async () => {
    age.reset();
    const [now, reports] = await Promise.all([clock.now(), reportsOf({ log, signatures })]).catch(() => []);
    if (!now || !reports) return;
    for (const { name: witness, key } of policy.witnesses) {
      const report = reports.find(({ name, id }) => name === key.name && id === key.id);
      const at = report?.cosigned_at?.getTime() ?? Number.NEGATIVE_INFINITY;
      age.set({ witness }, (now.getTime() - at) / SECOND);
    }
  };
}

async function reportsOf({ log, signatures }: Pick<Ports, 'log' | 'signatures'>): Promise<readonly WitnessReport[]> {
  const newest = await log.newest();
  return newest ? signatures.reports(newest.log) : [];
}
