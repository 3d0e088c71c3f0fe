import { Counter, Gauge, type Registry } from 'prom-client';
import type { StreamFigures } from '../../application/events/event-stream.ts';

/** The streams of events of this process, copied at each scrape. */
export function streamFigures(registry: Registry, figures: () => StreamFigures): void {
  const registers = [registry];
  new Gauge({
    name: 'stancebook_event_streams',
    help: 'Streams of events that are open.',
    registers,
    collect() {
      this.set(figures().open);
    },
  });
  new Counter({
    name: 'stancebook_event_streams_ended_total',
    help: 'Streams of events that have ended, by reason.',
    labelNames: ['reason'],
    registers,
    collect() {
      this.reset();
      for (const [reason, count] of Object.entries(figures().ended)) this.inc({ reason }, count);
    },
  });
  new Counter({
    name: 'stancebook_event_streams_refused_total',
    help: 'Streams of events that were not opened because as many were open as one process serves.',
    registers,
    collect() {
      this.reset();
      this.inc(figures().refused);
    },
  });
}
