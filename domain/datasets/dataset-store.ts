import type { OwnerProof } from '../cohorts/owner-proof.ts';
import type { TalliedCohort } from './published-cohort.ts';

/** A file of a dataset. */
export interface DatasetFile {
  /** ASCII, without folders. */
  readonly name: string;
  readonly bytes: number;
  /** Hex. */
  readonly sha256: string;
}

/** A public snapshot of the records that cohorts show, of one month. It is never changed. */
export interface Dataset {
  /** The UTC month in which it was made: `2026-03`. */
  readonly month: string;
  readonly made_at: Date;
  /** In the order in which they were written. */
  readonly files: readonly DatasetFile[];
  /** Where the evidence log has the digest of its SHA256SUMS; null until it has. */
  readonly leaf: { readonly origin: string; readonly index: number } | null;
}

/** The records of this moment that cohorts count. */
export interface DatasetSource {
  /** Up to `limit` instruments that have such records, in an order of their own; null: from the first. */
  instruments(after: string | null, limit: number): Promise<readonly string[]>;

  /**
   * Every cohort of an instrument, with at least `samples` records.
   * @param cohorts `producers`: how many owners that count are enough
   */
  cohorts(instrument: string, cohorts: WantedCohorts): Promise<readonly TalliedCohort[]>;
}

export interface WantedCohorts {
  readonly include_retroactive: boolean;
  readonly samples: number;
  readonly producers: number;
  readonly ownerProof: OwnerProof;
}

/** Adds bytes at the end of a file. */
export type WriteFilePart = (name: string, content: Uint8Array) => Promise<void>;

/** A part of a file by its number; null after the last one. */
export type ReadFilePart = (name: string, number: number) => Promise<Uint8Array | null>;

/** The datasets of the service, the same for all processes. */
export interface DatasetStore {
  /** The newest first. */
  list(): Promise<readonly Dataset[]>;

  find(month: string): Promise<Dataset | null>;

  /** The part of a file with this number, from 0 on; null after the last one, and for what is not there. */
  part(month: string, name: string, number: number): Promise<Uint8Array | null>;

  /**
   * Makes the dataset of a month. All that `work` reads is of one moment. When it throws, or this process dies, nothing is
   * kept. Returns false, without calling `work`, when there is one, and while another process makes one.
   * @param work returns the files that it wrote; it reads back what it wrote by `written`
   */
  make(
    month: string,
    work: (source: DatasetSource, write: WriteFilePart, written: ReadFilePart) => Promise<readonly DatasetFile[]>,
  ): Promise<boolean>;
}
