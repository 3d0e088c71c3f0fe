/** What the work at hand has changed, to be undone newest first. */
export class Journal {
  readonly #undo: (() => void)[] = [];

  note(undo: () => void): void {
    this.#undo.push(undo);
  }

  /** Runs a piece of work, and takes back what it changed when it throws. */
  async keepOrUndo<T>(work: () => Promise<T>): Promise<T> {
    try {
      const result = await work();
      this.#undo.length = 0;
      return result;
    } catch (error) {
      for (let undo = this.#undo.pop(); undo; undo = this.#undo.pop()) undo();
      throw error;
    }
  }
}

/** Rows by their key. A row is replaced whole and never changed, so that the one before it can be put back. */
export class Table<Key extends string, Row extends object> {
  readonly #rows = new Map<Key, Readonly<Row>>();
  readonly #journal: Journal;
  readonly #whenSet: WhenSet<Key, Row>;

  /** `whenSet` hears of each row that is put in place. */
  constructor(journal: Journal, whenSet: WhenSet<Key, Row> = () => undefined) {
    this.#journal = journal;
    this.#whenSet = whenSet;
  }

  get(key: Key): Readonly<Row> | undefined {
    return this.#rows.get(key);
  }

  set(key: Key, row: Readonly<Row>): void {
    const before = this.#rows.get(key);
    this.#noteBefore(key);
    this.#rows.set(key, row);
    this.#whenSet(key, row, before);
  }

  delete(key: Key): boolean {
    this.#noteBefore(key);
    return this.#rows.delete(key);
  }

  /** How many rows went. */
  deleteWhere(matches: (row: Readonly<Row>) => boolean): number {
    const keys = [...this.#rows].flatMap(([key, row]) => (matches(row) ? [key] : []));
    for (const key of keys) this.delete(key);
    return keys.length;
  }

  where(matches: (row: Readonly<Row>) => boolean): Readonly<Row>[] {
    return [...this.#rows.values()].filter(matches);
  }

  #noteBefore(key: Key): void {
    const before = this.#rows.get(key);
    this.#journal.note(() => (before ? this.#rows.set(key, before) : this.#rows.delete(key)));
  }
}

type WhenSet<Key, Row> = (key: Key, row: Readonly<Row>, before: Readonly<Row> | undefined) => void;

/** Runs pieces of work one after the other, in the order in which they came. */
export function oneAtATime(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const mine = last.then(work);
    last = mine.catch(() => undefined);
    return mine;
  };
}

/** Bytes as lower-case hexadecimal digits, which can be the key of a table: two arrays of the same bytes are not one key. */
export function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
