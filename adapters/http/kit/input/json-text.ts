import { giveWay } from '../../../../application/pause.ts';
import { Problem, type ProblemDetail } from '../../../../domain/problem.ts';

/** The tokens of valid JSON: a string, a structural character, or else a number or a literal. */
export const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]|[^\s"{}[\],:]+/g;

const MAX_DEPTH = 32;
const LONGEST_PATH = 200;

/**
 * The value of a JSON text that can be stored, fingerprinted and read back unchanged: at most 32 levels, no member
 * twice (JSON.parse would use the last one, another reader the first), no NUL, no unpaired surrogate, no `__proto__`,
 * no number beyond a double.
 * @param enclosing levels around the value that do not count, such as the message that it is sent in
 * @throws Problem MALFORMED_BODY with the position, or with every offending place
 */
export function parseJson(text: string, enclosing = 0): unknown {
  if (text.trim() === '') throw malformed('The body is empty.');
  const value = parse(text);
  const names = membersOf(value, -enclosing);
  if (Number.isNaN(names))
    throw malformed('The body contains values that cannot be stored.', faultsOf(value, '', -enclosing));
  if (namesIn(text) !== names) throw malformed('The body contains a member twice.', repeatedNames(text, value));
  return value;
}

/** Characters of a long list that are parsed before other requests have a turn: some 0.3 ms. */
const SLICE = 16 * 1024;

/**
 * The same as `parseJson`, with turns for other requests: the items of one long list of the object are parsed in slices. A
 * text with a fault is parsed as a whole, which alone finds all of its faults.
 * @param list the name of the member that is the list
 */
export async function parseJsonInSlices(text: string, list: string): Promise<unknown> {
  if (text.length <= SLICE) return parseJson(text);
  return (await parsedInSlices(text, list)) ?? parseJson(text);
}

/** Null for a text with a fault, or without such a list. */
async function parsedInSlices(text: string, list: string): Promise<object | null> {
  try {
    const slices = slicesOf(text, list);
    const items: unknown[] = [];
    let slice = slices.next();
    for (; !slice.done; slice = slices.next()) {
      // An item is two levels deep, and one below its slice.
      const some = parseJson(`[${slice.value}]`, -1) as readonly unknown[];
      // Between two commas is no item.
      if (some.length === 0) return null;
      items.push(...some);
      await giveWay();
    }
    // A name that is there twice is found in it.
    return slice.value === null ? null : Object.assign(parseJson(slice.value) as object, { [list]: items });
  } catch (error) {
    if (error instanceof Problem) return null;
    throw error;
  }
}

/**
 * The items of the list in slices, each without the comma behind it, then the text without them; null for a text without
 * such a list, or one that is not JSON. Commas outside of strings separate the items of a list where nothing in it is open.
 */
function* slicesOf(text: string, list: string): Generator<string, string | null> {
  let [depth, name, last] = [0, '', ''];
  let [opened, begin] = [-1, -1];
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      const end = closingQuote(text, at);
      if (end < 0) return null;
      if (depth === 1) last = text.slice(at + 1, end);
      at = end;
    } else if (code === COLON) {
      if (depth === 1) name = last;
    } else if (code === OPEN_LIST || code === OPEN_OBJECT) {
      depth += 1;
      if (code === OPEN_LIST && depth === 2 && opened < 0 && name === list) opened = begin = at + 1;
    } else if (code === COMMA) {
      if (depth === 1) name = '';
      if (depth !== 2 || begin < 0 || at - begin < SLICE) continue;
      yield text.slice(begin, at);
      begin = at + 1;
    } else if (code === CLOSE_LIST || code === CLOSE_OBJECT) {
      depth -= 1;
      if (depth !== 1 || begin < 0) continue;
      yield text.slice(begin, at);
      return `${text.slice(0, opened)}${text.slice(at)}`;
    }
  }
  return null;
}

const [QUOTE, COLON, COMMA] = [34, 58, 44];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [91, 93, 123, 125];

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const position = faultPosition(text, error instanceof Error ? error.message : '');
    const line = text.slice(0, position).split('\n');
    const column = (line.at(-1)?.length ?? 0) + 1;
    throw malformed(`The body is not JSON: it breaks at position ${position} (line ${line.length}, column ${column}).`);
  }
}

/** V8 gives the position of some faults only; for the others, the shortest prefix with the same fault ends on it. */
function faultPosition(text: string, message: string): number {
  const position = / at position (\d+)/.exec(message)?.[1];
  if (position !== undefined) return Number(position);
  if (!message.startsWith('Unexpected token')) return text.length;
  let sound = 0;
  let broken = text.length;
  while (broken - sound > 1) {
    const middle = (sound + broken) >> 1;
    if (breaks(text.slice(0, middle))) broken = middle;
    else sound = middle;
  }
  return sound;
}

function breaks(prefix: string): boolean {
  try {
    JSON.parse(prefix);
    return false;
  } catch (error) {
    return error instanceof Error && error.message.startsWith('Unexpected token');
  }
}

/** How many members a value has at every level; NaN for one with faults, which `faultsOf` finds. */
function membersOf(value: unknown, depth: number): number {
  if (typeof value === 'string') return isStorable(value) ? 0 : Number.NaN;
  if (typeof value === 'number') return Number.isFinite(value) ? 0 : Number.NaN;
  if (typeof value !== 'object' || value === null) return 0;
  if (depth >= MAX_DEPTH) return Number.NaN;
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + membersOf(item, depth + 1), 0);
  let members = 0;
  for (const [name, member] of Object.entries(value)) {
    if (name === '__proto__' || !isStorable(name)) return Number.NaN;
    members += 1 + membersOf(member, depth + 1);
  }
  return members;
}

function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

function faultsOf(value: unknown, path: string, depth: number): ProblemDetail[] {
  if (typeof value === 'string') return textFaults(value, path);
  if (typeof value === 'number' && !Number.isFinite(value)) {
    return [{ path, message: 'must be a number of at most 1.8e308, positive or negative' }];
  }
  if (typeof value !== 'object' || value === null) return [];
  if (depth >= MAX_DEPTH) return [{ path, message: `must not nest deeper than ${MAX_DEPTH} levels` }];
  if (Array.isArray(value)) return value.flatMap((item, index) => faultsOf(item, under(path, index), depth + 1));
  return Object.entries(value).flatMap(([name, member]) => [
    ...(name === '__proto__' ? [{ path: under(path, name), message: 'must not be sent' }] : []),
    ...textFaults(name, path),
    ...faultsOf(member, under(path, name), depth + 1),
  ]);
}

function textFaults(text: string, path: string): ProblemDetail[] {
  const faults: ProblemDetail[] = [];
  if (text.includes('\0')) faults.push({ path, message: 'must not contain the character U+0000' });
  if (!text.isWellFormed()) faults.push({ path, message: 'must not contain an unpaired surrogate' });
  return faults;
}

/** Cut short: a long name with many faults below it would make a reply much longer than the request. */
function under(path: string, key: string | number): string {
  return (path === '' ? String(key) : `${path}.${key}`).slice(0, LONGEST_PATH);
}

/** In a valid text every string before a colon is a member's name. */
const STRINGS = /"[^"\\]*(?:\\.[^"\\]*)*"(?:[ \t\n\r]*(:))?/g;

/** A third of the time that the expression takes. */
function namesIn(text: string): number {
  let names = 0;
  for (let begin = text.indexOf('"'); begin >= 0; ) {
    let after = closingQuote(text, begin) + 1;
    while (text.charCodeAt(after) <= SPACE) after += 1;
    if (text[after] === ':') names += 1;
    begin = text.indexOf('"', after);
  }
  return names;
}

const SPACE = 32;

/** The first quote after `begin` with an even number of backslashes before it. */
function closingQuote(text: string, begin: number): number {
  let end = begin;
  let backslash = end;
  do {
    end = text.indexOf('"', end + 1);
    for (backslash = end; text[backslash - 1] === '\\'; ) backslash -= 1;
  } while ((end - backslash) % 2 === 1);
  return end;
}

function repeatedNames(text: string, value: unknown): ProblemDetail[] {
  const counts = new Map<string, number>();
  countNames(value, counts);
  for (const [match, colon] of text.matchAll(STRINGS)) {
    if (!colon) continue;
    const name = String(JSON.parse(match.slice(0, match.lastIndexOf('"') + 1)));
    counts.set(name, (counts.get(name) ?? 0) - 1);
  }
  const repeated = [...counts].filter(([, rest]) => rest < 0);
  return repeated.map(([name]) => ({
    path: name.slice(0, LONGEST_PATH),
    message: 'must be named only once in its object',
  }));
}

function countNames(value: unknown, counts: Map<string, number>): void {
  if (typeof value !== 'object' || value === null) return;
  const isList = Array.isArray(value);
  for (const [name, member] of Object.entries(value)) {
    if (!isList) counts.set(name, (counts.get(name) ?? 0) + 1);
    countNames(member, counts);
  }
}

function malformed(message: string, details?: readonly ProblemDetail[]): Problem {
  return new Problem('MALFORMED_BODY', message, details ? { details } : {});
}

/**
 * The text of a member of a JSON object as it was sent, without the white space between its tokens; null without such a
 * member. JSON.parse does not keep it: it rounds numbers (9007199254740993, 1.10) and moves names such as "10" to the
 * front, and its reviver gets the texts of numbers only after the order is lost.
 * @param json valid JSON of an object that names no member twice
 */
export function memberText(json: string, name: string): string | null {
  return memberTexts(json).get(name) ?? null;
}

/** Those of all members, in the order in which they were sent. */
export function memberTexts(json: string): Map<string, string> {
  const texts = new Map<string, string>();
  let name: string | null = null;
  let text = '';
  let depth = 0;
  for (const token of json.match(TOKENS) ?? []) {
    if (depth === 1 && (token === ',' || token === '}')) {
      if (name !== null) texts.set(name, text);
      [name, text] = [null, ''];
    } else if (depth === 1 && name === null) name = JSON.parse(token) as string;
    else if (depth > 0 && !(depth === 1 && token === ':')) text += token;
    if (token === '{' || token === '[') depth += 1;
    if (token === '}' || token === ']') depth -= 1;
  }
  return texts;
}
