/** A comparison with an owner in SQL, and the same SQL with the slip that forgets the owner: the comparison is true. */
export interface Slip {
  readonly comparison: string;
  /** Where it begins in the text. */
  readonly at: number;
  readonly planted: string;
}

const COLUMN = String.raw`(?:"?\w+"?\.)?"?owner_id"?`;
const VALUE = [
  String.raw`\$\d+(?:::\w+)?`,
  String.raw`(?:any|coalesce)\s*\([^()]*\)`,
  String.raw`\(\w+\)\.\w+`,
  String.raw`"\w+"\."\w+"`,
  String.raw`(?!null\b)[a-z_]\w*(?:\.\w+)?(?!\()`,
].join('|');
const COMPARISON = new RegExp(
  String.raw`(?<![\w."])${COLUMN}\s*(?:=(?!>)|is not distinct from)\s*(?:${VALUE})|(?<![\w."])${COLUMN}\s+in\s*\(`,
  'gi',
);
const KEYWORD = /\b(set|where|on|and|or|when|from|select|case|returning|using|if|values)\b/gi;

/** Each comparison of a column of owners in a statement or in the source of a function. */
export function slipsIn(text: string): readonly Slip[] {
  return [...text.matchAll(COMPARISON)].flatMap((match): Slip[] => {
    const before = text.slice(0, match.index);
    if (isAssigned(before) || isComment(before)) return [];
    const end = match[0].endsWith('(') ? closing(text, match.index + match[0].length) : match.index + match[0].length;
    const comparison = text.slice(match.index, end);
    return [{ comparison, at: match.index, planted: `${before}(${comparison} or true)${text.slice(end)}` }];
  });
}

function isAssigned(before: string): boolean {
  return [...before.matchAll(KEYWORD)].at(-1)?.[0].toLowerCase() === 'set';
}

function isComment(before: string): boolean {
  return before.slice(before.lastIndexOf('\n') + 1).includes('--');
}

/** The place after the parenthesis that closes the one before `from`. */
function closing(text: string, from: number): number {
  let depth = 1;
  let at = from;
  for (; depth > 0 && at < text.length; at += 1) depth += text[at] === '(' ? 1 : text[at] === ')' ? -1 : 0;
  return at;
}
