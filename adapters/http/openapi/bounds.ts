import type { JsonSchema } from './json-schema.ts';

const BOUNDS = ['maxLength', 'enum', 'const', 'format', 'pattern', '$ref'];
const FORMATS_WITHOUT_END = ['password', 'uri', 'email'];

/**
 * The schema of an input, with the transport's bound on each text and whole number that has no bound of its own.
 * @param bytes the longest that this part of the request may be
 */
export function bounded(schema: JsonSchema, bytes: number): JsonSchema {
  const entries = Object.entries(schema).map(([key, value]) => [key, boundedParts(key, value, bytes)]);
  return { ...Object.fromEntries(entries), ...ownBound(schema, bytes) };
}

function boundedParts(key: string, value: unknown, bytes: number): unknown {
  if (typeof value !== 'object' || value === null || key === 'enum' || key === 'example') return value;
  if (Array.isArray(value)) return value.map((item) => boundedParts('', item, bytes));
  if (key !== 'properties') return bounded(value as JsonSchema, bytes);
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, boundedParts('', member, bytes)]));
}

function ownBound({ type, ...schema }: JsonSchema, bytes: number): JsonSchema {
  const hasEnd = BOUNDS.some(
    (bound) => schema[bound] !== undefined && !FORMATS_WITHOUT_END.includes(String(schema[bound])),
  );
  if (type === 'string' && !hasEnd) return { maxLength: bytes };
  if (type !== 'integer' || schema.maximum !== undefined) return {};
  return { maximum: schema.format === 'int32' ? 2 ** 31 - 1 : Number.MAX_SAFE_INTEGER };
}
