import { onThrowawayDatabase } from '../../stage/throwaway-database.ts';
import { layOutLog } from '../server-log.ts';
import { measureSlim, type SlimExtent } from './slim-histories.ts';
import { measureWhole, type WholeExtent } from './whole-histories.ts';

export interface HistoryExtent extends WholeExtent, SlimExtent {}

/** The time of the hottest operations in histories of growing size, and what a decision takes in them; as lines. */
export function benchHistory(extent: HistoryExtent): Promise<string> {
  return onThrowawayDatabase(async (throwaway) => {
    await layOutLog(throwaway);
    const whole = extent.sizes.length > 0 ? await measureWhole(throwaway, extent) : [];
    const slim = extent.slim.length > 0 ? await measureSlim(throwaway, extent) : [];
    return [...whole, ...slim].join('\n\n');
  });
}
