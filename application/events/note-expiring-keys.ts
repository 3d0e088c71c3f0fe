import type { EventStore } from '../../domain/events/event-store.ts';
import { EVENTS } from '../../domain/limits.ts';

/** Writes the events of all keys that expire soon and have had none, in transactions of `EVENTS.keysAtOnce` keys. */
export async function noteExpiringKeys(events: Pick<EventStore, 'noteExpiringKeys'>): Promise<void> {
  while ((await events.noteExpiringKeys(EVENTS.keysAtOnce)) === EVENTS.keysAtOnce);
}
