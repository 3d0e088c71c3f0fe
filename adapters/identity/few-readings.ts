/** Signs that zxcvbn reads as one letter. */
export const ALIKE = ['4@', '([{<', '1!|', '5$', '7+'] as const;

/** So many combinations cost it milliseconds. */
const FEW = 2;

/**
 * The text as it is, or with one sign for those alike. zxcvbn tries every combination of what such signs may stand for:
 * a text that holds them all blocks the process for seconds.
 */
export function withFewReadings(text: string): string {
  if (readings(text) <= FEW) return text;
  return Array.from(text, (sign) => ALIKE.find((signs) => signs.includes(sign))?.[0] ?? sign).join('');
}

/** How many ways there are to choose one of the signs that the text holds, for each letter. */
export function readings(text: string): number {
  const choices = ALIKE.map((signs) => Array.from(signs).filter((sign) => text.includes(sign)).length);
  return choices.reduce((product, count) => product * Math.max(1, count), 1);
}
