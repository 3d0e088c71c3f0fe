/**
 * The service does not start, for a reason that an operator can remove: the message says what it is and what to do, so
 * that no stack is printed.
 */
export class StartRefused extends Error {
  override readonly name: string = 'StartRefused';
}
