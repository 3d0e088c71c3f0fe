import { Problem, type ProblemDetail } from '../../../../domain/problem.ts';

const MAX_DEPTH = 32;
const LONGEST_PATH = 200;

/**
 * The value of a JSON text that can be stored, fingerprinted and read back unchanged: at most 32 levels, no member
 * twice (JSON.parse would use the last one, another reader the first), no NUL, no unpaired surrogate, no `__proto__`,
 * no number beyond a double.
 * @throws Problem MALFORMED_BODY with the position, or with every offending place
 */
export function parseJson(text: string): unknown {
  if (text.trim() === '') throw malformed('The body is empty.');
  const value = parse(text);
  const census: Census = { names: 0, details: [] };
  survey(value, '', 0, census);
  if (census.details.length > 0) throw malformed('The body contains values that cannot be stored.', census.details);
  if (namesIn(text) !== census.names) throw malformed('The body contains a member twice.', repeatedNames(text, value));
  return value;
}

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

interface Census {
  names: number;
  readonly details: ProblemDetail[];
}

function survey(value: unknown, path: string, depth: number, census: Census): void {
  if (typeof value === 'string') surveyText(value, path, census);
  if (typeof value === 'number' && !Number.isFinite(value)) {
    census.details.push({ path, message: 'must be a number of at most 1.8e308, positive or negative' });
  }
  if (typeof value !== 'object' || value === null) return;
  if (depth >= MAX_DEPTH) {
    census.details.push({ path, message: `must not nest deeper than ${MAX_DEPTH} levels` });
    return;
  }
  if (Array.isArray(value)) {
    value.forEach((item, index) => {
      survey(item, under(path, index), depth + 1, census);
    });
    return;
  }
  for (const [name, member] of Object.entries(value)) {
    census.names += 1;
    if (name === '__proto__') census.details.push({ path: under(path, name), message: 'must not be sent' });
    surveyText(name, path, census);
    survey(member, under(path, name), depth + 1, census);
  }
}

function surveyText(text: string, path: string, { details }: Census): void {
  if (text.includes('\0')) details.push({ path, message: 'must not contain the character U+0000' });
  if (!text.isWellFormed()) details.push({ path, message: 'must not contain an unpaired surrogate' });
}

/** Cut short: a long name with many faults below it would make a reply much longer than the request. */
function under(path: string, key: string | number): string {
  return (path === '' ? String(key) : `${path}.${key}`).slice(0, LONGEST_PATH);
}

/** In a valid text every string before a colon is a member's name. */
const STRINGS = /"[^"\\]*(?:\\.[^"\\]*)*"(?:[ \t\n\r]*(:))?/g;

function namesIn(text: string): number {
  let names = 0;
  for (const [, colon] of text.matchAll(STRINGS)) if (colon) names += 1;
  return names;
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
