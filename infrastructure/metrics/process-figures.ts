import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { PoolUse } from '../../adapters/postgres/kit/pool-use.ts';

export interface ProcessFigures {
  readonly registry: Registry;
  /** Begins to observe the process, unless that has begun. What observes is never closed: it ends with the process. */
  observe(): void;
}

/** Memory, processor, event loop and garbage collector of this process. */
export function processFigures(): ProcessFigures {
  const registry = new Registry();
  let isObserved = false;
  return {
    registry,
    observe() {
      if (!isObserved) collectDefaultMetrics({ register: registry });
      isObserved = true;
    },
  };
}

/** The connections of this process to the database. */
export function poolFigures(registry: Registry, pool: () => PoolUse): void {
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
