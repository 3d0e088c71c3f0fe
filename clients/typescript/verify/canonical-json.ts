/**
 * The RFC 8785 form of a JSON value: names in the order of their UTF-16 code units, numbers and texts as ECMAScript
 * writes them. Members that are undefined are left out.
 * @throws TypeError for half of a surrogate pair, and for numbers that JSON does not have
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).filter(([, member]) => member !== undefined);
    members.sort(([a], [b]) => (a < b ? -1 : 1));
    return `{${members.map(([name, member]) => `${canonicalJson(name)}:${canonicalJson(member)}`).join(',')}}`;
  }
  const isJson = typeof value === 'string' ? value.isWellFormed() : typeof value !== 'number' || Number.isFinite(value);
  const text = isJson ? JSON.stringify(value) : undefined;
  if (text === undefined) throw new TypeError(`${String(value)} has no canonical form.`);
  return text;
}
