import type { EventStreams } from '../../application/events/event-stream.ts';
import { eventStreams, type StreamPorts } from '../../application/events/event-streams.ts';
import type { Logger } from '../logging/logger.ts';

/** The streams of events of this process, with a log line for each that ends. */
export function composeStreams(ports: StreamPorts, log: Logger): EventStreams {
  return eventStreams(ports, {
    onEnded: (ended) => log.http('stream ended', ended),
    onFault: (error) => log.warn('Could not read the events of streams; the next second tries again', { error }),
  });
}
