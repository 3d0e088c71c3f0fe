import { shownJson } from '../domain/shown-text.ts';

/** A JSON value as its text; `jsonOf` writes this text, byte for byte. */
export class JsonText {
  readonly text: string;

  /** @param text valid JSON */
  constructor(text: string) {
    this.text = text;
  }
}

/** A whole reply as its JSON, in UTF-8 if in bytes: it was checked against the schema when it was written. */
export class WrittenReply {
  readonly json: string | Uint8Array;

  constructor(json: string | Uint8Array) {
    this.json = json;
  }
}

/**
 * A reply that is sent piece by piece while it is made, no faster than the client reads it. What throws before the first
 * piece is a refusal; later the connection is closed, so that the client sees that the end is missing.
 */
export class StreamedReply {
  readonly pieces: AsyncGenerator<string | Uint8Array>;
  readonly limits: StreamLimits;
  /** Null: that of the reply. */
  readonly contentType: string | null;

  constructor(pieces: AsyncGenerator<string | Uint8Array>, limits: StreamLimits, contentType: string | null = null) {
    this.pieces = pieces;
    this.limits = limits;
    this.contentType = contentType;
  }
}

/** How slowly a client may read, and how long the whole reply may take. */
export interface StreamLimits {
  /** Bytes a second, averaged over a window. Time in which the service makes a piece is not the client's. */
  readonly leastRate: number;
  /** Milliseconds in which the service waited for the client. */
  readonly window: number;
  /** Milliseconds. */
  readonly longest: number;
}

/** A reply as JSON: the same value, with escapes in place of characters that no reader sees (`shownJson`). */
export function replyJson(value: unknown): string {
  return shownJson(jsonOf(value));
}

/** What JSON.stringify writes for a value that JSON can express, with the text of each `JsonText` outside of lists. */
export function jsonOf(value: unknown): string {
  if (value instanceof JsonText) return value.text;
  if (!containsText(value)) return JSON.stringify(value);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${jsonOf(member)}`).join(',')}}`;
}

function containsText(value: unknown): value is object {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return Object.values(value).some((member) => member instanceof JsonText || containsText(member));
}
