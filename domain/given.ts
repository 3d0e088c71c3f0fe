/** Members of `T` that a request may leave out; undefined is left out too. */
export type Given<T extends object> = { readonly [Name in keyof T]?: T[Name] | undefined };

/** The members that were not left out, so that they replace others and undefined replaces nothing. */
export function given<T extends object>(sent: Given<T>): Partial<T> {
  return Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== undefined)) as Partial<T>;
}
