import { proofOf } from '../accounts/sign-in/proof-of-credential.ts';
import type { Ports } from '../ports.ts';
import type { EventStream } from './event-stream.ts';

/**
 * Judges the credentials of streams again, all in one statement, and refuses those that are not valid any more. A bearer
 * token is verified again, because it expires.
 * @throws what the storage throws; the streams are then unjudged
 */
export async function judgeStreams(
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
