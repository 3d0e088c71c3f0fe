/**
 * The version of the interface, which the document at /openapi.json names. It changes with the interface alone; a release
 * of the product has the version of package.json (infrastructure/version.ts).
 */
export const CONTRACT_VERSION = '0.4.0';
