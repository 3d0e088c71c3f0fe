/** A text or bytes that do not have the form of their standard. The message names what is wrong, with its value. */
export class Malformed extends Error {
  override readonly name = 'Malformed';
}
