import type { AddressedEvent } from '../../domain/events/event-store.ts';
import type { EventStream } from './event-stream.ts';

/** Streams by their owners, for events that many of them may be sent. */
export class StreamAudience {
  private readonly byOwner = new Map<string, Set<EventStream>>();

  get isEmpty(): boolean {
    return this.byOwner.size === 0;
  }

  get owners(): readonly string[] {
    return [...this.byOwner.keys()];
  }

  get all(): readonly EventStream[] {
    return [...this.byOwner.values()].flatMap((own) => [...own]);
  }

  add(stream: EventStream): void {
    const { owner_id } = stream.scope;
    const own = this.byOwner.get(owner_id);
    if (own) own.add(stream);
    else this.byOwner.set(owner_id, new Set([stream]));
  }

  delete(stream: EventStream): void {
    const { owner_id } = stream.scope;
    const own = this.byOwner.get(owner_id);
    own?.delete(stream);
    if (own?.size === 0) this.byOwner.delete(owner_id);
  }

  /** Those whom the event concerns. */
  of({ owner_id, agent_id }: AddressedEvent): readonly EventStream[] {
    if (owner_id === null) return this.all;
    const own = [...(this.byOwner.get(owner_id) ?? [])];
    return own.filter(({ scope }) => scope.agent_id === undefined || scope.agent_id === agent_id);
  }
}
