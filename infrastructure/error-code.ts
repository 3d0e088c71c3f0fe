/** The `code` of a system error, as ENOENT. By shape: errors of Node.js itself may stem from another realm's Error. */
export function errorCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
