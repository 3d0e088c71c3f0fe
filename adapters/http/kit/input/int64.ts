/** The bounds of a signed integer of 64 bits. */
export const INT64 = { least: -(2n ** 63n), most: 2n ** 63n - 1n };

/**
 * A bound of an OpenAPI document in digits. The bounds of 64 bits are numbers there, which a double cannot hold exactly;
 * their digits are exact.
 */
export function boundText(bound: number): string {
  if (bound === Number(INT64.most)) return String(INT64.most);
  return bound === Number(INT64.least) ? String(INT64.least) : String(bound);
}
