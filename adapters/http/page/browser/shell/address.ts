/** The parts of an address after `#`: `#/webhooks/ID?status=failed`. */
export interface Address {
  /** The name of the view, `webhooks`; empty for the home. */
  readonly name: string;
  /** What follows the name, decoded; empty if nothing does. */
  readonly rest: string;
  readonly query: URLSearchParams;
}

/** Reads the part of an address that begins with `#`. Anything that does not begin with `#/` is the home. */
export function addressOf(hash: string): Address {
  const [, name = '', rest = '', query = ''] = /^#\/([\w-]*)\/?([^?]*)\??(.*)$/.exec(hash) ?? [];
  return { name, rest: decoded(rest), query: new URLSearchParams(query) };
}

/** A percent-encoded text; one that is not well-formed stays as it is. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The sections of the home, by the names in their addresses; the empty name is the home itself. */
const SECTIONS = ['', 'atlas', 'entries', 'stablecoins'];

/** Whether the name in an address is that of the home or of a section of it; any other is a view, or none. */
export function isOfHome(name: string): boolean {
  return SECTIONS.includes(name);
}
