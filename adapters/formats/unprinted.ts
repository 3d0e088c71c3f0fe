/**
 * Characters that move the cursor, that some readers treat as line ends, or that change the direction of text so that it
 * reads as another text. Older workflows contain them in names and descriptions, and any may in a config.
 */
export const UNPRINTED = /[[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ufffe\uffff]--[\n\t]]/gv;

/** The escape that JSON, and YAML in double quotes, read as the character. */
export function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** The text with escapes in place of such characters; a tab and a line feed stay. */
export function printed(text: string): string {
  return text.replace(UNPRINTED, escaped);
}
