import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Exchange } from './scripted-server.ts';

/** A case of tests/clients/cases.json; docs/clients.md explains the members. */
export interface ClientCase {
  readonly name: string;
  readonly options?: Readonly<Record<string, unknown>>;
  readonly call: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly exchanges?: readonly Exchange[];
  readonly result?: unknown;
  readonly error?: Readonly<Record<string, unknown>>;
  readonly waits?: readonly number[];
  readonly never_shown?: readonly string[];
}

/** The cases with the members that stand for others filled in, and what is the same for all. */
export interface ClientCases {
  readonly api_key: string;
  /** The time of the client's clock at first. */
  readonly now: string;
  /** Every random number of the client. */
  readonly random: number;
  readonly cases: readonly ClientCase[];
}

export function readClientCases(): ClientCases {
  const text = readFileSync(join(import.meta.dirname, 'cases.json'), 'utf8');
  const known = JSON.parse(text);
  return JSON.parse(text, (_, value) =>
    value === '$api_key' ? known.api_key : value === '$decision' ? known.decision : value,
  );
}
