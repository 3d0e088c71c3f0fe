/** The types of the TypeScript client, as a path in the project. */
export const CLIENT_TYPES: string;

/** Whether the types of these sources are there. */
export function isWritten(root: string): boolean;

/** The first line of the types: by it they are those of the sources. */
export function headOf(root: string): string;
