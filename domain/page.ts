/** The requested part of a list (settled.md section 11). */
export interface NumberedPage {
  /** From 1. */
  readonly page: number;
  /** At least 1. */
  readonly per_page: number;
}

/** A part of a list, and the length of the whole list; both of one moment. */
export interface PageOf<Item> {
  readonly items: readonly Item[];
  readonly total: number;
}

/** How many items come before the page. */
export function offsetOf({ page, per_page }: NumberedPage): number {
  return (page - 1) * per_page;
}
