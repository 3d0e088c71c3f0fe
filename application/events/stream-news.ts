import { type AddressedEvent, isBeyond } from '../../domain/events/event.ts';
import type { EVENT_STREAMS } from '../../domain/limits.ts';
import type { Millis } from '../../domain/time.ts';
import type { Ports } from '../ports.ts';
import { type EventStream, type StreamEnd, sendEvent } from './event-stream.ts';

/** Streams by their owners, for events that many of them may be sent. */
class StreamAudience {
  private readonly byOwner = new Map<string, Set<EventStream>>();

  get isEmpty(): boolean {
    return this.byOwner.size === 0;
  }

  get owners(): readonly string[] {
    return [...this.byOwner.keys()];
  }

  /** Those of the owners who are sent their submissions. */
  get submitters(): readonly string[] {
    const hasSubmissions = ({ scope }: EventStream) => scope.hasSubmissions === true;
    return this.owners.filter((owner_id) => [...(this.byOwner.get(owner_id) ?? [])].some(hasSubmissions));
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
  of({ owner_id, agent_id, event }: AddressedEvent): readonly EventStream[] {
    if (owner_id === null) return this.all;
    const own = [...(this.byOwner.get(owner_id) ?? [])];
    return own.filter(
      ({ scope }) =>
        (scope.agent_id === undefined || scope.agent_id === agent_id) &&
        (event.type !== 'decision.submitted' || scope.hasSubmissions),
    );
  }
}

export type NewsLimits = Pick<Record<keyof typeof EVENT_STREAMS, number>, 'page' | 'news'>;

/** Whom `StreamNews` reports to. */
export interface StreamDesk {
  end(stream: EventStream, reason: StreamEnd): void;
  onFault(fault: unknown): void;
  /** A clock that nobody sets. */
  monotonic(): Millis;
}

/** Events that are sent before other work of the process may run. */
const SENT_AT_ONCE = 200;

/**
 * Brings events to streams. A new stream reads pages of its own until it has all events; then it follows the news, which
 * one statement reads for all followers. A follower whose client does not take what is sent reads pages again, at the
 * pace of the client.
 */
export class StreamNews {
  private readonly followers = new StreamAudience();
  /** They have read all events, and follow from the next reading of the news on. */
  private readonly arrived = new Set<EventStream>();
  /** Up to where the news were read; null without followers. */
  private tail: string | null = null;
  private readonly ports: Pick<Ports, 'events' | 'clock'>;
  private readonly limits: NewsLimits;
  private readonly desk: StreamDesk;

  constructor(ports: Pick<Ports, 'events' | 'clock'>, limits: NewsLimits, desk: StreamDesk) {
    this.ports = ports;
    this.limits = limits;
    this.desk = desk;
  }

  /** Sends the events after a place, and then the news. @param place null: from the oldest event */
  async follow(stream: EventStream, place: string | null): Promise<void> {
    try {
      for (let after = place; stream.isOpen; ) {
        if (stream.outlet.isFull) stream.fullSince ??= this.desk.monotonic();
        await stream.outlet.taken();
        stream.fullSince = null;
        const { events, next } = await this.ports.events.page(stream.scope, after, this.limits.page);
        const at = await this.ports.clock.lastSeen();
        if (!stream.isOpen) return;
        for (const placed of events) sendEvent(stream, placed, at);
        stream.read = { place: next, at };
        after = next;
        if (events.length < this.limits.page) break;
      }
      if (stream.isOpen) this.arrived.add(stream);
    } catch (error) {
      this.fail(stream, error);
    }
  }

  /** For a stream that has ended. */
  leave(stream: EventStream): void {
    this.arrived.delete(stream);
    this.followers.delete(stream);
  }

  /** Reads the news and sends them. @throws what the storage throws; the next call reads what this one did not */
  async read(): Promise<void> {
    this.addArrived();
    while (this.tail !== null) {
      const { owners, submitters } = this.followers;
      const news = await this.ports.events.news(owners, this.tail, this.limits.news, submitters);
      if (news === null) return this.endHistory();
      const at = await this.ports.clock.lastSeen();
      this.tail = news.next;
      await this.send(news.events, at);
      if (news.events.length < this.limits.news) return;
    }
  }

  /** Who has read less than the followers reads on first. */
  private addArrived(): void {
    const arrived = [...this.arrived];
    this.arrived.clear();
    if (this.followers.isEmpty) this.tail = earliest(arrived);
    for (const stream of arrived) {
      const place = stream.read?.place ?? null;
      if (place === null || (this.tail !== null && isBeyond(this.tail, place))) void this.follow(stream, place);
      else this.followers.add(stream);
    }
  }

  private async send(events: readonly AddressedEvent[], at: Date): Promise<void> {
    let sent = 0;
    for (const event of events) {
      for (const stream of this.followers.of(event)) {
        if (!stream.isOpen || (stream.read && !isBeyond(event.place, stream.read.place))) continue;
        if (stream.outlet.isFull) this.fallBack(stream);
        else this.trySend(stream, event, at);
        sent += 1;
        if (sent % SENT_AT_ONCE === 0) await new Promise((resolve) => setImmediate(resolve));
      }
    }
  }

  private trySend(stream: EventStream, event: AddressedEvent, at: Date): void {
    try {
      sendEvent(stream, event, at);
    } catch (error) {
      this.fail(stream, error);
    }
  }

  private fallBack(stream: EventStream): void {
    this.followers.delete(stream);
    void this.follow(stream, stream.read?.place ?? null);
  }

  /** The database was restored or moved: places of before mean nothing. */
  private endHistory(): void {
    for (const stream of this.followers.all) this.desk.end(stream, 'restored');
    this.tail = null;
  }

  private fail(stream: EventStream, fault: unknown): void {
    if (!stream.isOpen) return;
    this.desk.onFault(fault);
    this.desk.end(stream, 'unavailable');
  }
}

function earliest(streams: readonly EventStream[]): string | null {
  const places = streams.flatMap(({ read }) => read?.place ?? []);
  return places.reduce<string | null>(
    (first, place) => (first !== null && !isBeyond(first, place) ? first : place),
    null,
  );
}
