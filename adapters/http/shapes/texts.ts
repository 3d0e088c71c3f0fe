import { z } from 'zod';

export const NOT_BLANK = 'must not be blank: send a character that is no white space';

/** A text of 1 to `most` characters, not only white space; stored as it was sent. */
export const filledText = (most: number) => z.string().min(1, { abort: true }).max(most).regex(/\S/, NOT_BLANK);

/** The same, stored without the white space around it, which counts in the length. */
export const trimmedText = (most: number) => filledText(most).trim();
