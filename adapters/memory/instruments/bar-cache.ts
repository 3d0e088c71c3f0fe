import { randomUUID } from 'node:crypto';
import { allBarsOf, type BarCache, type CachedSeries, type StoredStretch } from '../../../domain/market/bar-cache.ts';
import { instrumentKey } from '../../../domain/market/instrument.ts';
import type { Table } from '../kit/table.ts';
import type { NameTables } from './name-store.ts';

export interface CachedSeriesRow extends CachedSeries {
  readonly stretches: readonly StoredStretch[];
}

export interface BarCacheTables extends NameTables {
  /** By source, size, instrument and basis. */
  readonly barSeries: Table<string, CachedSeriesRow>;
}

export function memoryBarCache({ barSeries, names: statements }: BarCacheTables): BarCache {
  return {
    async find(series, from, to) {
      const stretches = barSeries.get(keyOf(series))?.stretches ?? [];
      const overlapping = stretches.filter((stretch) => stretch.from < to && stretch.to > from);
      return overlapping.map((stretch) => {
        return { ...stretch, bars: stretch.bars.filter(({ start, end }) => start < to && end > from) };
      });
    },
    async keep(series, { from, to, bars }, names = Number.POSITIVE_INFINITY) {
      if (statements.where(({ id }) => id > names).length > 0) return;
      const stretches = barSeries.get(keyOf(series))?.stretches ?? [];
      const added = { fetch: randomUUID(), from, to, bars: bars.filter(({ start }) => start >= from && start < to) };
      barSeries.set(keyOf(series), { ...series, stretches: [...stretches, added] });
    },
    async days(limit) {
      const rows = barSeries.where(({ size }) => size === '1d');
      const newest = new Map(rows.toSorted((a, b) => a.basis - b.basis).map((row) => [nameOf(row), row]));
      const names = [...newest.keys()].toSorted().slice(0, limit);
      return names.flatMap((name) => {
        const row = newest.get(name);
        if (!row) return [];
        return [{ source: row.source, instrument: instrumentKey(row.instrument), bars: allBarsOf(row.stretches) }];
      });
    },
    async prune(before) {
      const old = barSeries.where(({ basis }) => basis !== 0 && basis < before);
      barSeries.deleteWhere(({ basis }) => basis !== 0 && basis < before);
      return old.flatMap(({ stretches }) => stretches).length;
    },
  };
}

function keyOf(series: CachedSeries): string {
  return `${nameOf(series)} ${series.basis}`;
}

function nameOf({ source, size, instrument }: CachedSeries): string {
  return `${source} ${size} ${instrumentKey(instrument)}`;
}
