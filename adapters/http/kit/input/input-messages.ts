import { distance } from 'fastest-levenshtein';
import type { z } from 'zod';
import { MOST_DETAILS } from '../../../../domain/problem.ts';
import { NODE_TEMPLATES } from '../../../../domain/workflows/node-catalogue.ts';
import { memberInstead, valueInstead } from './synonyms.ts';

/** Separates the lines of one issue that names several unknown members; see input-faults.ts. */
export const BETWEEN_MEMBERS = '\n';

/**
 * What to send instead, for any issue whose schema has no message of its own. It reads as a predicate of the field:
 * "must be ...". For unknown members one line each, in the order of `keys`.
 */
export function inputMessage(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code !== 'unrecognized_keys' && issue.input === undefined) return `is required: send ${wanted(issue)}`;
  switch (issue.code) {
    case 'unrecognized_keys':
      return unknownMembers(issue.keys, membersOf(issue.inst)).join(BETWEEN_MEMBERS);
    case 'invalid_type':
      if (issue.expected === 'int' && typeof issue.input === 'number') return 'must be a whole number';
      return `must be ${wanted(issue)}, not ${typeName(issue.input)}`;
    case 'invalid_value':
      return choice(wanted(issue), valueInstead(issue.input, issue.values));
    case 'invalid_union':
    case 'invalid_format':
      return `must be ${wanted(issue)}`;
    case 'too_small':
      return bound(issue.origin, issue.exact ? 'exactly' : issue.inclusive ? 'at least' : 'more than', issue.minimum);
    case 'too_big':
      return bound(issue.origin, issue.exact ? 'exactly' : issue.inclusive ? 'at most' : 'less than', issue.maximum);
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`;
    default:
      return undefined;
  }
}

function choice(all: string, intended: string | undefined): string {
  return intended === undefined ? `must be ${all}` : `must be ${all}; send ${intended} instead`;
}

/** The most names that one message lists; /docs lists more. */
const LISTED_NAMES = 8;

/**
 * What to send instead of each name that none of `members` is, in the order of `keys`.
 * Advice is searched only for the reported faults: a search for each fault would take seconds. A list of all names is
 * given once, and only if it is short.
 */
export function unknownMembers(keys: readonly string[], members: readonly string[]): string[] {
  const advice = keys.slice(0, MOST_DETAILS).map((key) => adviceFor(key, members));
  const unclear = members.length === 0 || members.length > LISTED_NAMES ? -1 : advice.indexOf(undefined);
  return advice.map((text, index) => {
    if (index === unclear) return `is not known here; known are ${members.join(', ')}`;
    return `is not known here; ${text ?? 'leave it out'}`;
  });
}

function membersOf(schema: unknown): string[] {
  return Object.keys((schema as z.ZodObject | undefined)?.shape ?? {});
}

function adviceFor(key: string, members: readonly string[]): string | undefined {
  const usual = memberInstead(key, members);
  if (usual !== undefined) return `send ${usual} instead`;
  const close = nearest(key, members);
  return close && `did you mean ${close}?`;
}

function wanted(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return TYPES[issue.expected] ?? `a ${issue.expected}`;
    case 'invalid_value':
      return oneOf(issue.values);
    case 'invalid_union':
      return 'options' in issue && issue.options ? oneOf(issue.options as unknown[]) : typesOf(issue.errors);
    case 'invalid_format':
      return (
        FORMATS[issue.format] ?? (issue.pattern ? `text that matches ${issue.pattern}` : `a valid ${issue.format}`)
      );
    default:
      return 'a value';
  }
}

export const TYPES: Readonly<Record<string, string>> = {
  object: 'an object',
  record: 'an object',
  array: 'a list',
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  null: 'null',
};

const FORMATS: Readonly<Record<string, string>> = {
  datetime: 'an RFC 3339 timestamp with an offset, such as 2026-01-30T14:30:00Z',
  date: 'a date such as 2026-01-30',
  email: 'an email address',
  url: 'an absolute URL',
  uuid: 'a UUID',
  safeint: 'a whole number',
  int32: 'a whole number of 32 bits',
};

function oneOf(values: readonly unknown[]): string {
  const words = values.map(String);
  return words.length === 1 ? `${words[0]}` : `one of ${words.join(', ')}`;
}

function typesOf(branches: readonly (readonly z.core.$ZodIssue[])[]): string {
  const expected = branches.flat().flatMap((issue) => (issue.code === 'invalid_type' ? [issue.expected] : []));
  return [...new Set(expected)].map((type) => TYPES[type] ?? `a ${type}`).join(' or ') || 'another value';
}

function bound(origin: string, relation: string, limit: number | bigint | Date): string {
  const figure = limit instanceof Date ? limit.toISOString() : String(limit);
  const counted = COUNTED[origin];
  return counted === undefined
    ? `must be ${relation} ${figure}`
    : `must have ${relation} ${figure} ${counted}${figure === '1' ? '' : 's'}`;
}

/** The unit of a value's size. */
const COUNTED: Readonly<Record<string, string>> = {
  string: 'character',
  array: 'item',
  set: 'item',
  object: 'member',
  record: 'member',
  map: 'member',
};

export function typeName(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'an object';
  return typeof value === 'number' && !Number.isFinite(value) ? 'a number beyond all bounds' : `a ${typeof value}`;
}

/**
 * The node_ids that a caller may have meant by an unknown one. If the group is missing or wrong, the name after it
 * decides.
 */
export function similarNodes(id: string): readonly string[] {
  const byWord = new Map(NODE_TEMPLATES.map(({ node_id }) => [wordOf(node_id), node_id]));
  const whole = nearest(
    id,
    NODE_TEMPLATES.map(({ node_id }) => node_id),
  );
  const part = byWord.get(nearest(wordOf(id), byWord.keys()) ?? '');
  return [...new Set([whole, part].filter((node_id) => node_id !== undefined))];
}

function wordOf(node_id: string): string {
  return node_id.slice(node_id.indexOf('.') + 1);
}

/** The candidate that needs the fewest edits to become `word`, if they are few enough for a typing error. */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  const allowed = Math.max(2, Math.floor(word.length / 3));
  let best: string | undefined;
  let fewest = allowed + 1;
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - word.length) >= fewest) continue;
    const needed = distance(word, candidate);
    if (needed < fewest) [best, fewest] = [candidate, needed];
  }
  return best;
}
