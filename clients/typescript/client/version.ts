/** Of the release that this client belongs to. */
export const VERSION = '1.0.0';
