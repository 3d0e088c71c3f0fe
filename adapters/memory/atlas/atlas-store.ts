import type { AtlasState, AtlasStore, AtlasView, Built } from '../../../domain/atlas/atlas-store.ts';
import { type ByScope, byScope, isWithin, type Scope } from '../../../domain/atlas/scopes.ts';
import type { Seed } from '../../../domain/atlas/seeds.ts';
import { isPublic } from '../../../domain/decisions/visibility.ts';
import { instrumentKey } from '../../../domain/market/instrument.ts';
import type { Table } from '../kit/table.ts';
import { type AtlasSources, atlasSurvey } from './atlas-survey.ts';

export interface AtlasTables {
  /** One row at most. */
  readonly atlas: Table<string, AtlasRow>;
}

interface AtlasRow extends Built<AtlasState> {
  readonly views: ByScope<KeptView>;
}

interface KeptView extends AtlasView {
  /** `departures`: the graded records of the instrument that were under quarantine. */
  readonly seeds: readonly (Seed & { readonly departures: string })[];
}

export function memoryAtlas(tables: AtlasTables & AtlasSources, now: () => Date): AtlasStore {
  const { atlas, decisions } = tables;
  const survey = atlasSurvey(tables);
  const departures = (scope: Scope, { record }: Pick<Seed, 'record'>) =>
    decisions
      .where(
        (row) =>
          isWithin(scope, row) &&
          row.lifecycle_state === 'quarantined' &&
          row.evaluated_at !== null &&
          instrumentKey(row) === instrumentKey(record),
      )
      .map(({ record_id }) => record_id)
      .toSorted()
      .join(' ');
  const isShown = (scope: Scope, seed: KeptView['seeds'][number]) => {
    const row = decisions.get(seed.record.record_id);
    return row !== undefined && isPublic(row) && departures(scope, seed) === seed.departures;
  };
  return {
    async state() {
      const row = atlas.get('atlas');
      if (!row) return { built: null, records: await survey.records() };
      const { views: _, ...built } = row;
      return { built, records: await survey.records() };
    },

    async expire() {
      const row = atlas.get('atlas');
      if (row) atlas.set('atlas', { ...row, expired: true });
    },

    async build(work) {
      const generated_at = now();
      const { views, ...rest } = await work(survey);
      const keptViews = byScope((scope) => {
        const { network, seeds } = views[scope];
        return { network, seeds: seeds.map((seed) => ({ ...seed, departures: departures(scope, seed) })) };
      });
      atlas.set('atlas', { ...rest, generated_at, expired: false, views: keptViews });
      return true;
    },

    async network(scope) {
      const row = atlas.get('atlas');
      return row ? { generated_at: row.generated_at, ...row.views[scope].network } : null;
    },

    async seeds({ scope, node, limit }) {
      const row = atlas.get('atlas');
      if (!row) return null;
      const matching = row.views[scope].seeds.filter(
        (seed) => (node === null || seed.nodes.includes(node)) && isShown(scope, seed),
      );
      return {
        generated_at: row.generated_at,
        items: matching.slice(0, limit).map(({ departures: _, ...seed }) => seed),
      };
    },
  };
}
