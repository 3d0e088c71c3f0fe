/**
 * The text of a member of a JSON object as it was sent, without the white space between its tokens; null without such a
 * member. JSON.parse does not keep it: it rounds numbers (9007199254740993, 1.10) and moves names such as "10" to the
 * front, and its reviver gets the texts of numbers only after the order is lost.
 * @param json valid JSON of an object that names no member twice
 */
export function memberText(json: string, name: string): string | null {
  let text: string[] | null = null;
  let depth = 0;
  let previous = '';
  for (const token of json.match(TOKENS) ?? []) {
    if (text !== null && depth === 1 && (token === ',' || token === '}')) return text.join('');
    if (text !== null && !(depth === 1 && token === ':')) text.push(token);
    const isName = depth === 1 && (previous === '{' || previous === ',') && token !== '}';
    if (isName && JSON.parse(token) === name) text = [];
    if (token === '{' || token === '[') depth += 1;
    if (token === '}' || token === ']') depth -= 1;
    previous = token;
  }
  return null;
}

/** The tokens of valid JSON: a string, a structural character, or else a number or a literal. */
const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]|[^\s"{}[\],:]+/g;
