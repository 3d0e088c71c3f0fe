import fc from 'fast-check';
import { DAY } from '../../../../domain/time.ts';
import type { JsonSchema } from '../document.ts';
import type { Things } from '../stage/things.ts';

/** What values are made from: the schemas of the document, and known values. */
export interface Source {
  readonly things: Things;
  schemaOf(schema: JsonSchema): JsonSchema;
}

const DEEPEST = 4;

/** Values that mostly fit the schema, often known ones of that name. */
export function valuesOf(schema: JsonSchema, name: string, source: Source, depth = 0): fc.Arbitrary<unknown> {
  const resolved = source.schemaOf(schema);
  const branches = (resolved.anyOf ?? resolved.oneOf) as JsonSchema[] | undefined;
  if (branches) return fc.oneof(...branches.map((branch) => valuesOf(branch, name, source, depth)));
  if (resolved.const !== undefined) return fc.constant(resolved.const);
  if (Array.isArray(resolved.enum)) return fc.constantFrom(...resolved.enum);
  if (Array.isArray(resolved.type)) {
    return fc.oneof(...resolved.type.map((type: string) => valuesOf({ ...resolved, type }, name, source, depth)));
  }
  switch (resolved.type) {
    case 'string':
      return fc.oneof(
        { weight: 4, arbitrary: knownText(name, source, resolved) },
        { weight: 1, arbitrary: text(resolved) },
      );
    case 'integer':
      return wholeNumber(resolved);
    case 'number':
      return number(resolved);
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'array':
      return list(resolved, name, source, depth);
    case 'object':
      return object(resolved, source, depth);
    default:
      return fc.jsonValue({ maxDepth: 2 });
  }
}

function knownText(name: string, { things }: Source, schema: JsonSchema): fc.Arbitrary<unknown> {
  const known = things.get(name);
  if (!known || known.length === 0) return text(schema);
  return fc.nat(10_000).map((n) => known[n % known.length] ?? '');
}

const ALPHABETS = ['grapheme-ascii', 'grapheme', 'binary'] as const;

function text({ format, pattern, minLength = 0, maxLength }: JsonSchema): fc.Arbitrary<string> {
  if (format === 'date-time') return instant().map((at) => at.toISOString());
  if (format === 'date') return instant().map((at) => at.toISOString().slice(0, 10));
  if (format === 'email') return fc.stringMatching(/^[a-z0-9]{1,12}@[a-z0-9]{1,12}\.(com|org)$/);
  if (format === 'uri') return fc.webUrl();
  if (format === 'uuid') return fc.uuid();
  const [least, most] = [Number(minLength), Number(maxLength ?? 60)];
  if (pattern === NOT_BLANK) return ofLength(least, most).filter((value) => value.trim() !== '');
  if (typeof pattern === 'string') return matching(pattern, least, Number(maxLength ?? Number.POSITIVE_INFINITY));
  return ofLength(least, most);
}

/** More in a row means that no text of the pattern has such a length: it would be sought for ever. */
const MOST_MISSES = 10_000;

function matching(pattern: string, least: number, most: number): fc.Arbitrary<string> {
  let misses = 0;
  return fc.stringMatching(new RegExp(pattern)).filter(({ length }) => {
    misses = length >= least && length <= most ? 0 : misses + 1;
    if (misses > MOST_MISSES) throw new Error(`No text of ${least} to ${most} characters matches ${pattern}.`);
    return misses === 0;
  });
}

/** The pattern of texts that are not only white space. */
const NOT_BLANK = '\\S';

function ofLength(least: number, most: number): fc.Arbitrary<string> {
  const short = { minLength: least, maxLength: Math.max(least, Math.min(most, 40)) };
  const full = { minLength: most, maxLength: most };
  const units = fc.constantFrom(...ALPHABETS);
  const ordinary = units.chain((unit) => fc.string({ unit, ...short }));
  return most > 300 ? ordinary : fc.oneof({ weight: 9, arbitrary: ordinary }, fc.string({ unit: 'binary', ...full }));
}

/** Times, mostly in the last months, for which there are prices. */
function instant(): fc.Arbitrary<Date> {
  const recent = fc.integer({ min: 1, max: 100 * DAY }).map((age) => new Date(Date.now() - age));
  const min = new Date('1970-01-01T00:00:00Z');
  const max = new Date('2100-12-31T00:00:00Z');
  return fc.oneof({ weight: 3, arbitrary: recent }, fc.date({ min, max, noInvalidDate: true }));
}

function wholeNumber({ minimum = -(2 ** 31), maximum = 2 ** 31 - 1 }: JsonSchema): fc.Arbitrary<number> {
  const min = Math.max(Number(minimum), Number.MIN_SAFE_INTEGER);
  const max = Math.min(Number(maximum), Number.MAX_SAFE_INTEGER);
  const small = fc.integer({ min, max: Math.min(max, Math.max(min, 200)) });
  return fc.oneof(
    { weight: 4, arbitrary: small },
    fc.maxSafeInteger().map((n) => Math.min(max, Math.max(min, n))),
  );
}

function number({ minimum, maximum, exclusiveMinimum, exclusiveMaximum }: JsonSchema): fc.Arbitrary<number> {
  const min = Number(minimum ?? exclusiveMinimum ?? -1e9);
  const max = Number(maximum ?? exclusiveMaximum ?? 1e9);
  const open = { minExcluded: exclusiveMinimum !== undefined, maxExcluded: exclusiveMaximum !== undefined };
  const near = fc.integer({
    min: Math.ceil(min) + 1,
    max: Math.max(Math.ceil(min) + 1, Math.min(200, Math.floor(max))),
  });
  return fc.oneof({ weight: 2, arbitrary: near }, fc.double({ min, max, noNaN: true, ...open }));
}

function list({ items = {}, minItems = 0, maxItems = 6 }: JsonSchema, name: string, source: Source, depth: number) {
  const one = name.replace(/s$/, '');
  const minLength = Number(minItems);
  const maxLength = Math.max(minLength, Math.min(Number(maxItems), depth > DEEPEST ? minLength : 4));
  return fc.array(valuesOf(items as JsonSchema, one, source, depth + 1), { minLength, maxLength });
}

/** Includes few optional members: of many, one would always be wrong. */
function object(schema: JsonSchema, source: Source, depth: number): fc.Arbitrary<unknown> {
  const members = Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>);
  if (members.length === 0) return dictionary(schema, source, depth);
  const required = new Set(schema.required as string[] | undefined);
  const optional = members.map(([name]) => name).filter((name) => !required.has(name));
  const most = depth > DEEPEST ? 0 : 3;
  return fc.subarray(optional, { minLength: 0, maxLength: Math.min(most, optional.length) }).chain((chosen) => {
    const chosenMembers = members.filter(([name]) => required.has(name) || chosen.includes(name));
    return fc.record(
      Object.fromEntries(chosenMembers.map(([name, of]) => [name, valuesOf(of, name, source, depth + 1)])),
      {
        noNullPrototype: true,
      },
    );
  });
}

function dictionary(
  { additionalProperties, propertyNames }: JsonSchema,
  source: Source,
  depth: number,
): fc.Arbitrary<unknown> {
  if (additionalProperties === false) return fc.constant({});
  const key = propertyNames
    ? valuesOf(propertyNames as JsonSchema, '', source, depth + 1)
    : fc.string({ maxLength: 20 });
  const of = typeof additionalProperties === 'object' && additionalProperties !== null ? additionalProperties : {};
  const value = depth > DEEPEST ? fc.constant(1) : valuesOf(of as JsonSchema, '', source, depth + 1);
  return fc.dictionary(key.map(String), value, { maxKeys: 4, noNullPrototype: true });
}
