/** C0 and C1 without tab and line ends: they move the cursor of a terminal, or show as nothing. */
const CONTROLS = '\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f';
const LINE_ENDS = '\\t\\n\\r\\u2028\\u2029';
/** Marks that change the direction of text, so that it reads as another text. */
const MARKS = '\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069';
const SPACES = ' \\u00a0\\u1680\\u2000-\\u200a\\u202f\\u205f\\u3000\\ufeff';

/** A name: one line that others see in lists, not only white space. */
export const SHOWN_LINE = filled(CONTROLS + LINE_ENDS + MARKS, SPACES);
/** A reason or justification: it may have several lines. */
export const SHOWN_TEXT = filled(CONTROLS + MARKS, SPACES + LINE_ENDS);
/** A description, which may be empty. */
export const SHOWN_TEXT_OR_NONE = new RegExp(`^[^${CONTROLS}${MARKS}]*$`);

/** Of three parts that cannot match the same character, so that a long text takes no longer than its length. */
function filled(refused: string, blank: string): RegExp {
  return new RegExp(`^[${blank}]*[^\\s${refused}][^${refused}]*$`);
}
