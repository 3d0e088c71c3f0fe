import type { JsonObject } from '../node-template.ts';

/** The schema of a config: these members and no others, each with a default unless it is named as required. */
export function config(properties: JsonObject, required: readonly string[] = []): JsonObject {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    ...object(properties, required),
  };
}

export function object(properties: JsonObject, required: readonly string[] = []): JsonObject {
  return { type: 'object', properties, required, additionalProperties: false };
}

export function whole(description: string, [minimum, maximum]: Range, fallback: number): JsonObject {
  return { type: 'integer', description, minimum, maximum, default: fallback };
}

export function number(description: string, [minimum, maximum]: Range, fallback: number): JsonObject {
  return { type: 'number', description, minimum, maximum, default: fallback };
}

export function flag(description: string, fallback: boolean): JsonObject {
  return { type: 'boolean', description, default: fallback };
}

/** One of some words; without a fallback the instructions say what its absence means. */
export function choice(description: string, words: readonly string[], fallback?: string): JsonObject {
  return { type: 'string', description, enum: words, ...(fallback === undefined ? {} : { default: fallback }) };
}

export function text(description: string, maxLength: number): JsonObject {
  return { type: 'string', description, minLength: 1, maxLength };
}

export function texts(description: string, maxItems: number, maxLength: number): JsonObject {
  return {
    type: 'array',
    description,
    minItems: 1,
    maxItems,
    uniqueItems: true,
    items: { type: 'string', minLength: 1, maxLength },
  };
}

type Range = readonly [least: number, most: number];
