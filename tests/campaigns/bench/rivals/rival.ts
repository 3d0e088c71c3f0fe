import type { ServerProcess } from '../../stage/server-process.ts';

/** A service that stores the records, ready to be asked, and what it is asked. */
export interface Rival {
  /** With its version. */
  readonly name: string;
  readonly server: Pick<ServerProcess, 'pid' | 'port'>;
  /** Lines of a request that carry a credential. */
  readonly credentials: readonly string[];
  readonly createPath: string;
  /** The status of what was created. */
  readonly created: number;
  /** Requests, each for a record. */
  readonly gets: readonly string[];
  /** Requests, each for the newest 20 records of an agent. */
  readonly lists: readonly string[];
}
