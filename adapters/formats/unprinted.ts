import { shownJson, withHidden } from '../../domain/shown-text.ts';

/**
 * The text with escapes in place of what no reader sees, and of carriage returns, which move the cursor. JSON has the same
 * value afterwards. Older records and workflows contain such characters.
 */
export function printed(text: string): string {
  return shownJson(text).replaceAll('\r', '\\u000d');
}

/** The same for YAML, whose strings with such characters are in double quotes: it has no pairs of surrogates. */
export function printedYaml(text: string): string {
  return withHidden(text, (character) => {
    const digits = (character.codePointAt(0) ?? 0).toString(16);
    return character.length > 1 ? `\\U${digits.padStart(8, '0')}` : `\\u${digits.padStart(4, '0')}`;
  });
}
