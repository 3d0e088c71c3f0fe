/** A fault of a text, with its place, both from 1. */
export interface PlacedFault {
  readonly line: number;
  readonly column: number;
  readonly words: string;
}

/** A fault as the service names it; with a place if it is one of a text. */
interface FaultDetail {
  readonly path: string;
  readonly message: string;
  readonly line?: number;
  readonly column?: number;
}

/** The faults that have a place, in the order of the text. */
export function placedFaults(details: readonly FaultDetail[]): readonly PlacedFault[] {
  return details
    .flatMap(({ path, message, line, column }) =>
      line === undefined ? [] : [{ line, column: column ?? 1, words: [path, message].filter(Boolean).join(' ') }],
    )
    .toSorted((a, b) => a.line - b.line || a.column - b.column);
}

/** The lines of a text around one of them, with their numbers. */
export function numberedLines(
  text: string,
  line: number,
  around = 2,
): readonly { readonly number: number; readonly text: string }[] {
  const first = Math.max(1, line - around);
  return text
    .split('\n')
    .slice(first - 1, line + around)
    .map((each, i) => ({ number: first + i, text: each }));
}
