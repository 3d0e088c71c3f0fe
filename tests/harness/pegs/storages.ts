import type { Storage } from '../../../application/ports.ts';
import type { Millis } from '../../../domain/time.ts';
import { onMemory, onPostgres } from '../../contracts/decisions/adapters.ts';

/** A storage whose clock can be set for each minute of several days. */
export interface ClockedStorage {
  readonly storage: Storage;
  setClock(time: Millis): Promise<void>;
  close(): Promise<void>;
}

export const CLOCKED_STORAGES = ['memory', 'postgres'] as const;

export async function clockedStorage(name: (typeof CLOCKED_STORAGES)[number]): Promise<ClockedStorage> {
  const { storage, arrange, close } = await (name === 'memory' ? onMemory() : onPostgres(10));
  return { storage, close, setClock: (time) => arrange.freeze(new Date(time)) };
}
