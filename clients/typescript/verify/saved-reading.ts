import { base64Of, bytesOfBase64, hashOfBase64, Malformed } from '../../../domain/log/encoding.ts';
import type { Continuation } from '../../../domain/log/leaves/leaf-audit.ts';
import type { Missing } from './decisions-line.ts';
import { isWhole, type LogReading, NOTHING_READ } from './read-log.ts';
import type { LogRead } from './time-line.ts';

/** What the file of --since keeps for the next run: which log was read, how far, and what was learnt from it. */
export interface SavedReading extends LogReading {
  /** Empty when nothing was read yet. */
  readonly origin: string;
  /** The policy that the log itself stated at first; null for one that the reader brings. */
  readonly pinned: string | null;
  readonly missing: Missing;
  /** Each size that was read, and when last: what a later reading has beyond it was not there then. */
  readonly reads: readonly LogRead[];
}

export const NOTHING_SAVED: SavedReading = { ...NOTHING_READ, origin: '', pinned: null, missing: new Map(), reads: [] };

export function savedText(saved: SavedReading): string {
  const { origin, size, edge, states, bundles, continued, pinned, missing, reads } = saved;
  const reading = { origin, size, edge: edge.map(base64Of), states: base64Of(states), bundles: base64Of(bundles) };
  return `${JSON.stringify({ v: 4, ...reading, continued, pinned, missing: [...missing], reads })}\n`;
}

/**
 * The files of version 2 do not have the times of readings, and those of version 3 not the roots of bundles. @throws Malformed for a text that `savedText` did not write
 */
export function savedReadingOf(text: string): SavedReading {
  try {
    const {
      v,
      origin,
      size,
      edge,
      states,
      bundles = '',
      continued = [],
      pinned,
      missing,
      reads = [],
    } = JSON.parse(text);
    const hashes = { edge: edge.map(hashOfBase64), bundles: bytesOfBase64(bundles) };
    const reading = { origin, size, states: bytesOfBase64(states), continued, ...hashes };
    const isKept =
      (v === 2 || v === 3 || (v === 4 && isWhole(reading) && continued.every(isContinuation))) &&
      reads.every(isRead) &&
      typeof origin === 'string' &&
      reading.states.length === size;
    if (isKept && (pinned === null || typeof pinned === 'string')) {
      return { ...reading, pinned, missing: new Map<number, number>(missing), reads };
    }
  } catch {
    // The message below says it.
  }
  throw new Malformed('The file of --since is not one that this version wrote.');
}

function isContinuation(value: unknown): value is Continuation {
  const { index, of, size, root } = Object(value);
  const isPlaced = Number.isSafeInteger(index) && Number.isSafeInteger(size);
  return isPlaced && typeof of === 'string' && /^[0-9a-f]{64}$/.test(root);
}

function isRead(value: unknown): value is LogRead {
  return Array.isArray(value) && value.length === 2 && value.every((number) => Number.isSafeInteger(number));
}
