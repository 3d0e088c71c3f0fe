interface Work {
  /** Where to look, and what to take from there. */
  readonly read: string;
  /** What to make up one's mind about, and how. */
  readonly decide: string;
  /** What each output holds. */
  readonly handOn: string;
}

/** The instructions of a template, in the three parts that each of them has. */
export function instructions({ read, decide, handOn }: Work): string {
  return `Read: ${read}\nDecide: ${decide}\nHand on: ${handOn}`;
}
