import { z } from 'zod';
import { SHOWN_LINE, SHOWN_TEXT, SHOWN_TEXT_OR_NONE } from '../../../domain/shown-text.ts';

export const NOT_BLANK = 'must not be blank: send a character that is no white space';
const NO_MARKS =
  'must not contain characters that change the direction of text (U+061C, U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069)';
const NO_CONTROLS = `${NO_MARKS} or control characters`;

/** A text of 1 to `most` characters, not only white space; stored as it was sent, because it is evidence. */
export const filledText = (most: number) => z.string().min(1, { abort: true }).max(most).regex(/\S/, NOT_BLANK);

/** A name of 1 to `most` characters: one line, not only white space, without characters that make it read as another. */
export const nameText = (most: number) => shownText(SHOWN_LINE, `${NO_CONTROLS}, line ends included`, most);

/** The same, stored without the white space around it, which counts in the length. */
export const trimmedName = (most: number) => nameText(most).trim();

/** A reason of 1 to `most` characters in one or more lines, under the same rule, and stored alike. */
export const reasonText = (most: number) => shownText(SHOWN_TEXT, NO_CONTROLS, most).trim();

/** A description of up to `most` characters under the same rule; it may be empty. */
export const descriptionText = (most: number) => z.string().max(most).regex(SHOWN_TEXT_OR_NONE, NO_CONTROLS);

function shownText(pattern: RegExp, otherwise: string, most: number) {
  const error = ({ input }: { readonly input?: unknown }) => (String(input).trim() === '' ? NOT_BLANK : otherwise);
  return z.string().min(1, { abort: true }).max(most).regex(pattern, { error });
}
