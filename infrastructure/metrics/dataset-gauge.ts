import { Gauge, type Registry } from 'prom-client';
import { datasetLag } from '../../application/datasets/publish-dataset.ts';
import { SECOND } from '../../domain/time.ts';

/** Read at each scrape; NaN when the database does not answer. */
export function datasetGauge(registry: Registry, ports: Parameters<typeof datasetLag>[0]) {
  const late = new Gauge({
    name: 'stancebook_data_snapshot_lag_seconds',
    help: 'How long the public snapshot of this month has been due; 0 once it is made.',
    registers: [registry],
  });
  return async () =>
    late.set(
      await datasetLag(ports).then(
        (lag) => lag / SECOND,
        () => Number.NaN,
      ),
    );
}
