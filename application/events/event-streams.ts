import { EVENT_STREAMS } from '../../domain/limits.ts';
import { Problem } from '../../domain/problem.ts';
import type { Proof } from '../../domain/quotas/admission.ts';
import type { Millis } from '../../domain/time.ts';
import { proofOf } from '../accounts/sign-in/proof-of-credential.ts';
import type { Ports } from '../ports.ts';
import {
  type EndedStream,
  type EventStream,
  type EventStreams,
  STREAM_ENDS,
  type StreamEnd,
  type StreamOutlet,
  type StreamReader,
} from './event-stream.ts';
import { eventCursors, placeOf } from './read-events.ts';
import { StreamNews } from './stream-news.ts';

export interface StreamOptions {
  readonly limits?: Partial<Record<keyof typeof EVENT_STREAMS, number>>;
  readonly onEnded?: (ended: EndedStream) => void;
  /** Called at the first fault of several in a row. */
  readonly onFault?: (fault: unknown) => void;
}

export type StreamPorts = Pick<Ports, 'events' | 'clock' | 'settings' | 'admission' | 'identityProvider'>;

/** The streams of events of this process. A credential has one of them: a newer one ends the older one. */
export function eventStreams(ports: StreamPorts, options: StreamOptions = {}): EventStreams {
  const limits: Record<keyof typeof EVENT_STREAMS, number> = { ...EVENT_STREAMS, ...options.limits };
  const { onEnded = () => undefined, onFault = () => undefined } = options;
  const monotonic = () => performance.now();
  const ticksIn = (millis: Millis) => Math.max(1, Math.round(millis / limits.tick));
  const [turns, pulses] = [ticksIn(limits.judge), ticksIn(limits.heartbeat)];
  const streams = new Map<string, EventStream>();
  const ended = Object.fromEntries(STREAM_ENDS.map((reason) => [reason, 0])) as Record<StreamEnd, number>;
  let [turn, pulse, reserved, refused] = [0, 0, 0, 0];
  let [isClosed, isFailing] = [false, false];
  // Heartbeats do not wait for a database that is slow.
  const loops = [looping(tick), looping(beatDue)];
  const news = new StreamNews(ports, limits, { end, onFault, monotonic });

  function refuseFurther(subject: string): void {
    if (isClosed) throw new Problem('SERVICE_UNAVAILABLE', 'This process is stopping.');
    if (streams.has(subject) || streams.size + reserved < limits.most) return;
    refused += 1;
    throw new Problem('SERVICE_UNAVAILABLE', 'This process has as many streams of events as it can serve.');
  }

  function begin(reader: StreamReader, place: string | null, outlet: StreamOutlet): EventStream {
    const state = { isOpen: true, read: null, events: 0, isUnjudged: false, fullSince: null };
    const stream: EventStream = { ...reader, outlet, beganAt: monotonic(), turn, pulse, ...state };
    const older = streams.get(reader.subject);
    if (older) end(older, 'replaced');
    streams.set(reader.subject, stream);
    if (isClosed) end(stream, 'shutdown');
    else void news.follow(stream, place);
    for (const run of loops) void run();
    return stream;
  }

  function end(stream: EventStream, reason: StreamEnd): void {
    const { outlet, subject, request_id, read, cursors, beganAt, events: count } = stream;
    if (!stream.isOpen) return;
    stream.isOpen = false;
    news.leave(stream);
    if (streams.get(subject) === stream) streams.delete(subject);
    ended[reason] += 1;
    if (reason === 'slow') outlet.cut();
    else if (reason !== 'client') outlet.end(reason, read && cursors.at(read.place, read.at));
    onEnded({ request_id, reason, duration_ms: Math.round(monotonic() - beganAt), count });
  }

  /** Returns what repeats the step at each tick while there are streams; a further call does nothing meanwhile. */
  function looping(step: () => void | Promise<void>): () => Promise<void> {
    let isRunning = false;
    return async () => {
      if (isRunning) return;
      isRunning = true;
      while (streams.size > 0) {
        await pause(limits.tick);
        await step();
      }
      isRunning = false;
    };
  }

  async function tick(): Promise<void> {
    turn = (turn + 1) % turns;
    try {
      await judgeStreams(ports, dueStreams(), (stream) => end(stream, 'credential'));
      await news.read();
      isFailing = false;
    } catch (error) {
      if (!isFailing) onFault(error);
      isFailing = true;
    }
  }

  function dueStreams(): readonly EventStream[] {
    return [...streams.values()].filter((stream) => stream.turn === turn || stream.isUnjudged);
  }

  function beatDue(): void {
    pulse = (pulse + 1) % pulses;
    for (const stream of streams.values()) if (stream.pulse === pulse) beat(stream);
  }

  function beat(stream: EventStream): void {
    const now = monotonic();
    if (now - stream.beganAt >= limits.longest) end(stream, 'lifetime');
    else if (stream.outlet.isFull) {
      stream.fullSince ??= now;
      if (now - stream.fullSince >= limits.slow) end(stream, 'slow');
    } else {
      stream.fullSince = null;
      stream.outlet.heartbeat();
    }
  }

  return {
    async reserve({ scope, after, credential, from, request_id }) {
      const cursors = eventCursors(ports.settings.sessionSecret, scope);
      const place = after && (await placeOf(ports, cursors, after));
      const proof = await proofOf(ports, credential);
      if (proof === null) throw new Problem('UNAUTHORIZED', 'The credential is no longer valid.');
      const subject = subjectOf(proof);
      refuseFurther(subject);
      reserved += 1;
      return {
        open(outlet) {
          reserved -= 1;
          const reader = { scope, cursors, request_id, credential, held: { proof, from }, subject };
          const stream = begin(reader, place, outlet);
          return () => end(stream, 'client');
        },
        release() {
          reserved -= 1;
        },
      };
    },
    figures: () => ({ open: streams.size, ended: { ...ended }, refused }),
    close() {
      isClosed = true;
      for (const stream of [...streams.values()]) end(stream, 'shutdown');
    },
  };
}

/** It does not keep the process running. */
function pause(millis: Millis): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, millis).unref());
}

function subjectOf(proof: Proof): string {
  switch (proof.credential) {
    case 'api_key':
      return `key ${Buffer.from(proof.key_hash).toString('base64')}`;
    case 'legacy_session':
      return `session ${Buffer.from(proof.session_hash).toString('base64')}`;
    case 'owner_bearer':
      return `identity ${JSON.stringify([proof.identity.issuer, proof.identity.subject])}`;
  }
}

/**
 * Judges the credentials of streams again, all in one statement, and refuses those that are not valid any more. A bearer
 * token is verified again, because it expires.
 * @throws what the storage throws; the streams are then unjudged
 */
async function judgeStreams(
  ports: Pick<Ports, 'admission' | 'identityProvider'>,
  streams: readonly EventStream[],
  refuse: (stream: EventStream) => void,
): Promise<void> {
  if (streams.length === 0) return;
  const proven = await Promise.all(streams.map((stream) => isProven(ports, stream)));
  for (const stream of streams) stream.isUnjudged = true;
  const valid = await ports.admission.judgeAgain(streams.map(({ held }) => held));
  for (const [index, stream] of streams.entries()) {
    stream.isUnjudged = false;
    if (!proven[index] || !valid[index]) refuse(stream);
  }
}

/** Where the provider's keys are not available, nothing proves the token: its client connects again. */
async function isProven(ports: Pick<Ports, 'identityProvider'>, { credential }: EventStream): Promise<boolean> {
  if (credential.kind !== 'owner_bearer') return true;
  return (await proofOf(ports, credential).catch(() => null)) !== null;
}
