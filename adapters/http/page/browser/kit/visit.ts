/** One visit of a view: what the address says after the name of the view, until the reader leaves it. */
export interface Visit {
  /** The rest of the path, decoded: in `#/webhooks/ID` it is `ID`. */
  readonly rest: string;
  readonly query: URLSearchParams;
  /** Aborted when the view is left: pass it to every request and listener. */
  readonly signal: AbortSignal;
  /** Shows the current address again, after a change of the session for example. */
  again(): void;
  /** Names the view anew in the title of the page: where its content was read later than `show` returned. */
  rename(title: string): void;
}

/** A module of a view. `show` fills the element and returns the title; the view has one `h1` with tabindex -1. */
export interface ViewModule {
  show(view: HTMLElement, visit: Visit): Promise<string>;
}
