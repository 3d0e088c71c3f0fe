import type { ServerProcess } from '../../stage/server-process.ts';

/** A service on a database of its own that can be started again. */
export interface Restarted {
  /** Its name with its version. */
  readonly name: string;
  /** Resolves when it listens. */
  start(): Promise<ServerProcess>;
}

/** A running service that stores the records, with its requests. */
export interface Rival {
  /** Its name with its version. */
  readonly name: string;
  readonly server: Pick<ServerProcess, 'pid' | 'port'>;
  /** Header lines with a credential. */
  readonly credentials: readonly string[];
  readonly createPath: string;
  /** The status of a creation. */
  readonly created: number;
  /** Requests for one record each. */
  readonly gets: readonly string[];
  /** Requests for the newest 20 records of an agent each. */
  readonly lists: readonly string[];
}
