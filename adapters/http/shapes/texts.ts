import { z } from 'zod';

// No text of a request contains characters that do not show: kit/input/read-input.ts refuses them in all.

export const NOT_BLANK = 'must not be blank: send a character that is no white space';

/** A text of 1 to `most` characters, not only white space; stored as it was sent, because it is evidence. */
export const filledText = (most: number) => z.string().min(1, { abort: true }).max(most).regex(/\S/, NOT_BLANK);

/** A name of 1 to `most` characters: one line, not only white space. */
export const nameText = (most: number) => filledText(most).refine(isOneLine, ONE_LINE);

/** The same, stored without the white space around it, which counts in the length. */
export const trimmedName = (most: number) => nameText(most).trim();

/** A reason of 1 to `most` characters in one or more lines, stored alike. */
export const reasonText = (most: number) => filledText(most).trim();

/** A description of up to `most` characters; it may be empty. */
export const descriptionText = (most: number) => z.string().max(most);

const ONE_LINE = { error: 'must be one line: send it without tabs and line ends' };

function isOneLine(text: string): boolean {
  return !/[\t\n\r]/.test(text);
}
