/** A file of an archive, made while the archive is read. */
export interface ArchiveFile {
  /** ASCII, without folders. */
  readonly name: string;
  readonly pieces: () => AsyncIterable<string>;
}

/**
 * The bytes of a zip with these files, in this order. It reads a file when the files before it are written, and no faster
 * than its bytes are taken; it ends the file that it reads when it is ended. Archives and files may have any size (Zip64).
 * @param at the time that the files have in it
 * @throws what a file throws
 */
export type WriteZip = (files: readonly ArchiveFile[], at: Date) => AsyncGenerator<Uint8Array>;
