import type { Front } from './front.ts';
import { rowsOf } from './stored.ts';

/** Measures the lag of the standbys as the primary reports it, except during outages. */
export function lagMeter(front: Front): { stop(): Promise<string> } {
  const seen: number[] = [];
  let open = true;
  let sampling: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    sampling = sample(front, seen).catch(() => undefined);
  }, 1_000);
  return {
    async stop() {
      if (open) clearInterval(timer);
      open = false;
      await sampling;
      const sorted = seen.toSorted((a, b) => a - b);
      const at = (share: number) => (sorted[Math.floor(share * (sorted.length - 1))] ?? Number.NaN).toFixed(1);
      return `Standbys replayed ${at(0.5)} ms behind (median of ${sorted.length} samples; 95 %: ${at(0.95)}, longest: ${at(1)})`;
    },
  };
}

async function sample(front: Front, seen: number[]): Promise<void> {
  const sql =
    'select (extract(epoch from replay_lag) * 1000)::float8 as lag from pg_stat_replication where replay_lag is not null';
  for (const { lag } of await rowsOf<{ lag: number }>(front, sql)) seen.push(lag);
}
