/**
 * Characters that show as nothing, or that change how other text shows: an agent reads them, and the person who checks
 * the text does not see them. Those of Unicode's Default_Ignorable_Code_Point (zero-width characters, marks of
 * direction, tag characters, variation selectors), controls except tab, line feed and carriage return, separators of
 * lines and paragraphs, interlinear annotation and noncharacters. And the signs whose glyph is empty although Unicode gives
 * them no such property: blank Braille, the null notehead, the filler of Khitan and the controls of hieroglyphs.
 */
const UNSHOWN =
  /(?![\t\n\r])[\p{DI}\p{Cc}\p{NChar}\u2028\u2029\ufff9-\ufffb\u2800\u{13430}-\u{1343f}\u{16fe4}\u{1d159}]/gu;

/** Most texts, and decided in a fraction of the time. */
const PLAIN = /^[\t\n\r -~]*$/;

const [NON_JOINER, JOINER] = ['\u200c', '\u200d'];

/** The scripts whose letters join (Joining_Type), so that a text may have to say where they do not. */
const CURSIVE =
  '(?=\\p{L})[\\p{scx=Arab}\\p{scx=Syrc}\\p{scx=Mand}\\p{scx=Mong}\\p{scx=Nkoo}\\p{scx=Phag}\\p{scx=Adlm}\\p{scx=Rohg}]';
const PICTOGRAPH = '(?=\\p{Emoji})\\p{ExtPict}';

/**
 * Where a writing needs such a character: U+200C between letters that would join (RFC 5892 A.1), U+200D between the
 * parts of an emoji (UTS 51, ED-15a), U+FE0E and U+FE0F after a pictograph, U+FE0F in a keycap.
 */
const NEEDED = new RegExp(
  [
    `(?<=${CURSIVE}\\p{M}*)${NON_JOINER}(?=\\p{M}*${CURSIVE})`,
    `(?<=${PICTOGRAPH}[\\ufe0f\\p{EMod}]?)${JOINER}(?=${PICTOGRAPH})`,
    `(?<=${PICTOGRAPH})[\\ufe0e\\ufe0f]`,
    '(?<=[#*0-9])\\ufe0f(?=\\u20e3)',
  ].join('|'),
  'uy',
);

export interface HiddenCharacter {
  readonly code: number;
  /** Of the character in the text: the first has the position 1. */
  readonly position: number;
}

/** The characters of a text that no reader sees, in order; those that a writing needs are not among them. */
export function hiddenIn(text: string): HiddenCharacter[] {
  const found: HiddenCharacter[] = [];
  if (PLAIN.test(text)) return found;
  let [counted, position] = [0, 1];
  for (const { 0: character, index } of text.matchAll(UNSHOWN)) {
    if (isNeeded(text, index, character)) continue;
    position += [...text.slice(counted, index)].length;
    counted = index;
    found.push({ code: character.codePointAt(0) ?? 0, position });
  }
  return found;
}

export function isShown(text: string): boolean {
  return hiddenIn(text).length === 0;
}

/** The text with what `escaped` returns in place of each character that no reader sees. */
export function withHidden(text: string, escaped: (character: string) => string): string {
  if (PLAIN.test(text)) return text;
  return text.replace(UNSHOWN, (character, index: number) =>
    isNeeded(text, index, character) ? character : escaped(character),
  );
}

/** The text as readers may see it: `\u{200B}` in place of such a character. */
export function shown(text: string): string {
  return withHidden(text, (character) => `\\u{${hex(character.codePointAt(0) ?? 0)}}`);
}

/** The same of every text in a value of JSON, names of members included. */
export function withShownTexts<T>(value: T): T {
  const change = (inner: unknown): unknown => {
    if (typeof inner === 'string') return shown(inner);
    if (typeof inner !== 'object' || inner === null) return inner;
    if (Array.isArray(inner)) return inner.map(change);
    return Object.fromEntries(Object.entries(inner).map(([name, member]) => [shown(name), change(member)]));
  };
  return change(value) as T;
}

/** JSON with the escapes of JSON in place of such characters: it has the same value. */
export function shownJson(json: string): string {
  return withHidden(json, (character) =>
    Array.from({ length: character.length }, (_, unit) => jsonEscape(character.charCodeAt(unit))).join(''),
  );
}

function jsonEscape(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, '0')}`;
}

function isNeeded(text: string, index: number, character: string): boolean {
  NEEDED.lastIndex = index;
  return NEEDED.test(text) || ((character === NON_JOINER || character === JOINER) && isAtVirama(text, index));
}

/** Where the letters of Indic scripts join, and for U+200D also before: Bengali writes ra, joiner, virama, ya. */
function isAtVirama(text: string, index: number): boolean {
  const before = /.$/su.exec(text.slice(Math.max(0, index - 2), index))?.[0] ?? '';
  if (isVirama(before)) return true;
  const after = String.fromCodePoint(text.codePointAt(index + 1) ?? 0);
  return text[index] === JOINER && /\p{L}/u.test(before) && isVirama(after);
}

/** Of Canonical_Combining_Class 9: in canonical order after a mark of class 8, and before one of class 10. */
function isVirama(character: string): boolean {
  return isOrdered('\u3099', character) && isOrdered(character, '\u05b0');
}

function isOrdered(first: string, second: string): boolean {
  return (
    first !== second && first !== '' && second !== '' && `${second}${first}`.normalize('NFD') === `${first}${second}`
  );
}

function hex(code: number): string {
  return code.toString(16).toUpperCase().padStart(4, '0');
}
