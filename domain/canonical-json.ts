/** The RFC 8785 form of a JSON value; members that are undefined are left out. @throws Error for what is not JSON */
export type CanonicalJson = (value: unknown) => string;
