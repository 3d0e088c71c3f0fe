import { randomUUID } from 'node:crypto';
import type { BarCache, CachedSeries, StoredStretch } from '../../../domain/market/bar-cache.ts';
import { instrumentKey } from '../../../domain/market/instrument.ts';
import type { Millis } from '../../../domain/time.ts';
import type { Table } from '../kit/table.ts';

export interface CachedSeriesRow {
  readonly basis: Millis;
  readonly stretches: readonly StoredStretch[];
}

export interface BarCacheTables {
  /** By source, size, instrument and basis. */
  readonly barSeries: Table<string, CachedSeriesRow>;
}

export function memoryBarCache({ barSeries }: BarCacheTables): BarCache {
  return {
    async find(series, from, to) {
      const stretches = barSeries.get(keyOf(series))?.stretches ?? [];
      const overlapping = stretches.filter((stretch) => stretch.from < to && stretch.to > from);
      return overlapping.map((stretch) => {
        return { ...stretch, bars: stretch.bars.filter(({ start, end }) => start < to && end > from) };
      });
    },
    async keep(series, { from, to, bars }) {
      const { basis } = series;
      const stretches = barSeries.get(keyOf(series))?.stretches ?? [];
      const added = { fetch: randomUUID(), from, to, bars: bars.filter(({ start }) => start >= from && start < to) };
      barSeries.set(keyOf(series), { basis, stretches: [...stretches, added] });
    },
    async prune(before) {
      const old = barSeries.where(({ basis }) => basis !== 0 && basis < before);
      barSeries.deleteWhere(({ basis }) => basis !== 0 && basis < before);
      return old.flatMap(({ stretches }) => stretches).length;
    },
  };
}

function keyOf({ source, size, instrument, basis }: CachedSeries): string {
  return `${source} ${size} ${instrumentKey(instrument)} ${basis}`;
}
