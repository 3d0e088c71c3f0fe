import { base64Of, bytesOfBase64, hashOfBase64 } from '../../../domain/log/encoding.ts';
import { Malformed } from '../../../domain/log/malformed.ts';
import type { LogReading } from './read-log.ts';

/** A reading as it is kept in a file, for the next one: which log it was, and how far. */
export interface KeptReading extends LogReading {
  readonly origin: string;
}

export function keptText({ origin, size, edge, states }: KeptReading): string {
  return `${JSON.stringify({ v: 1, origin, size, edge: edge.map(base64Of), states: base64Of(states) })}\n`;
}

/** @throws Malformed for a text that `keptText` did not write */
export function keptOf(text: string): KeptReading {
  try {
    const { v, origin, size, edge, states } = JSON.parse(text);
    const kept = { origin, size, edge: edge.map(hashOfBase64), states: bytesOfBase64(states) };
    if (v === 1 && typeof origin === 'string' && kept.states.length === size) return kept;
  } catch {
    // The message below says it.
  }
  throw new Malformed('The file of --since is not one that an audit wrote.');
}
