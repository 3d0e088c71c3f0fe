import canonicalize from 'canonicalize';

/**
 * The RFC 8785 form of a JSON value.
 * @throws TypeError for a value that is not JSON
 */
export function canonicalJson(value: unknown): string {
  const text = canonicalize(value);
  if (text === undefined) throw new TypeError('Only JSON values have a canonical form');
  return text;
}
