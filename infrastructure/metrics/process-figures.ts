import { collectDefaultMetrics, Gauge, type Registry } from 'prom-client';
import type { PoolUse } from '../../adapters/postgres/kit/pool-use.ts';

/** Memory, processor and event loop of this process, and its connections to the database. */
export function processFigures(registry: Registry, pool: (() => PoolUse) | null): void {
  collectDefaultMetrics({ register: registry });
  if (pool === null) return;
  new Gauge({
    name: 'stancebook_database_connections',
    help: 'Connections of this process to the database: in use, idle, and requests that wait for one.',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      for (const [state, count] of Object.entries(pool())) this.set({ state }, count);
    },
  });
}
