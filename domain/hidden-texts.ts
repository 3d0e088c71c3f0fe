import { MOST_DETAILS, type ProblemDetail } from './problem.ts';
import { type HiddenCharacter, hiddenIn, shown } from './shown-text.ts';

/**
 * A fault for each text of a value, a member's name included, with characters that no reader sees: agents of others
 * would read what the person who checks the text does not. At most `MOST_DETAILS`.
 * @param asSent the names of members of the value that may contain them
 */
export function hiddenTexts(value: unknown, asSent: ReadonlySet<string> = NONE): ProblemDetail[] {
  const faults: ProblemDetail[] = [];
  addFaults(value, '', asSent, faults);
  return faults;
}

const NONE: ReadonlySet<string> = new Set();

function addFaults(value: unknown, path: string, asSent: ReadonlySet<string>, faults: ProblemDetail[]): void {
  if (faults.length >= MOST_DETAILS) return;
  if (typeof value === 'string') addFault(value, path, (hidden) => `must not contain ${hidden}`, faults);
  if (typeof value !== 'object' || value === null) return;
  const isList = Array.isArray(value);
  for (const [name, member] of Object.entries(value)) {
    const place = under(path, name);
    if (!isList) addFault(name, place, (hidden) => `must not be a name with ${hidden}`, faults);
    if (!asSent.has(name)) addFaults(member, place, NONE, faults);
  }
}

function addFault(text: string, path: string, message: (hidden: string) => string, faults: ProblemDetail[]): void {
  const hidden = hiddenIn(text);
  if (hidden.length > 0) faults.push({ path, message: message(listed(hidden)) });
}

const LONGEST_PATH = 200;

function under(path: string, name: string): string {
  const step = name === '' ? '""' : shown(name);
  return `${path === '' ? '' : `${path}.`}${step}`.slice(0, LONGEST_PATH);
}

/** The most characters that one message names. */
const NAMED = 3;

function listed(hidden: readonly HiddenCharacter[]): string {
  const named = hidden.slice(0, NAMED).map(({ code, position }) => `${nameOf(code)} at position ${position}`);
  const rest = hidden.length > NAMED ? ` and ${hidden.length - NAMED} more that do not show` : '';
  return `${named.join(', ')}${rest}: remove ${hidden.length > 1 ? 'them' : 'it'}`;
}

function nameOf(code: number): string {
  const number = `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
  const name = NAMES.get(code) ?? KINDS.find(({ from, to }) => code >= from && code <= to)?.kind;
  return name === undefined ? number : `${number} ${name}`;
}

/** Those that texts are known to contain, by their names in Unicode. */
const NAMES: ReadonlyMap<number, string> = new Map([
  [0xad, 'SOFT HYPHEN'],
  [0x34f, 'COMBINING GRAPHEME JOINER'],
  [0x61c, 'ARABIC LETTER MARK'],
  [0x180e, 'MONGOLIAN VOWEL SEPARATOR'],
  [0x200b, 'ZERO WIDTH SPACE'],
  [0x200c, 'ZERO WIDTH NON-JOINER'],
  [0x200d, 'ZERO WIDTH JOINER'],
  [0x200e, 'LEFT-TO-RIGHT MARK'],
  [0x200f, 'RIGHT-TO-LEFT MARK'],
  [0x2028, 'LINE SEPARATOR'],
  [0x2029, 'PARAGRAPH SEPARATOR'],
  [0x202a, 'LEFT-TO-RIGHT EMBEDDING'],
  [0x202b, 'RIGHT-TO-LEFT EMBEDDING'],
  [0x202c, 'POP DIRECTIONAL FORMATTING'],
  [0x202d, 'LEFT-TO-RIGHT OVERRIDE'],
  [0x202e, 'RIGHT-TO-LEFT OVERRIDE'],
  [0x2060, 'WORD JOINER'],
  [0x2066, 'LEFT-TO-RIGHT ISOLATE'],
  [0x2067, 'RIGHT-TO-LEFT ISOLATE'],
  [0x2068, 'FIRST STRONG ISOLATE'],
  [0x2069, 'POP DIRECTIONAL ISOLATE'],
  [0x3164, 'HANGUL FILLER'],
  [0xfeff, 'ZERO WIDTH NO-BREAK SPACE'],
]);

const KINDS: readonly { readonly from: number; readonly to: number; readonly kind: string }[] = [
  { from: 0, to: 0x9f, kind: '(a control character)' },
  { from: 0xfe00, to: 0xfe0f, kind: '(a variation selector)' },
  { from: 0xe0000, to: 0xe007f, kind: '(a tag character)' },
  { from: 0xe0100, to: 0xe01ef, kind: '(a variation selector)' },
];
