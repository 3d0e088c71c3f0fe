import canonicalize from 'canonicalize';

/**
 * The RFC 8785 form of a JSON value.
 * @throws TypeError for what is no JSON
 */
export function canonicalJson(value: unknown): string {
  const text = canonicalize(value);
  if (text === undefined) throw new TypeError('Only JSON has a canonical form');
  return text;
}
