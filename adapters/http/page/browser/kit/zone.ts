import { keepChoice, keptChoice } from './kept.ts';
import { showTimesIn } from './value-texts.ts';

const KEPT = 'time-zone';

/** Times are shown in the zone that this browser knows from the preferences of the owner, or else in UTC. */
export function showKeptZone(): void {
  showTimesIn(keptChoice(KEPT, (value) => typeof value === 'string', 'UTC'));
}

/** The zone of the preferences, for this browser until the owner signs out; null: UTC. */
export function chooseZone(zone: string | null): void {
  keepChoice(KEPT, zone ?? 'UTC');
  showKeptZone();
}
