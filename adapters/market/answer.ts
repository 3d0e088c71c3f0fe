import type { Millis } from '../../domain/time.ts';

/** A source answered in another form than it documents. */
export class MalformedAnswer extends Error {
  override readonly name = 'MalformedAnswer';
}

/** A source said within a well-formed answer that it is asked too often. */
export class AskedTooOften extends Error {
  override readonly name = 'AskedTooOften';
}

export type Fields = Readonly<Record<string, unknown>>;

export function fieldsOf(value: unknown): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new MalformedAnswer('not an object');
  return value as Fields;
}

export function listOf(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw new MalformedAnswer('not a list');
  return value;
}

export function textOf(value: unknown): string {
  if (typeof value !== 'string') throw new MalformedAnswer('not a text');
  return value;
}

/** A whole number within the years that the service knows, as JSON number or in digits. */
export function timeOf(value: unknown, unit: Millis): Millis {
  const time = numberOf(value) * unit;
  if (!Number.isSafeInteger(time) || time < 0 || time > LATEST) throw new MalformedAnswer('not a time');
  return time;
}

/** A price or volume, as JSON number or in digits; NaN for what is none, so that the row is dropped and counted. */
export function numberOf(value: unknown): number {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && DECIMAL.test(value) ? Number(value) : Number.NaN;
}

/** 2100-01-01T00:00:00Z */
const LATEST = Date.UTC(2100, 0, 1);

/** No sign, no hexadecimal, no blank: `Number` reads an empty text as 0. */
const DECIMAL = /^\d+(\.\d*)?([eE][+-]?\d{1,3})?$/;
