/** A point in time, in whole milliseconds. */
export const INSTANT = { type: 'timestamptz', precision: 3 } as const;

/** The order in which rows were added: the database counts it (identity), nobody writes it. A text of digits in rows. */
export const SEQUENCE = { type: 'bigint', primary: true, insert: false, update: false } as const;

/** A column that the database computes from others of its row. */
export const COMPUTED = { insert: false, update: false } as const;
