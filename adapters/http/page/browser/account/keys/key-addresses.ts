export const KEYS = '/api/v1/owner/auth/api-keys';

export function addressOfKey(prefix: string): string {
  return `${KEYS}/${encodeURIComponent(prefix)}`;
}

/** The networks of a field, separated by commas or white space. */
export function networksOf(text: string): readonly string[] {
  return text.split(/[\s,]+/).filter((network) => network !== '');
}
