import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The scripted replies and what a client does for them (docs/clients.md). */
export interface Case {
  readonly name: string;
  readonly options?: Readonly<Record<string, unknown>>;
  readonly call: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly exchanges: readonly Exchange[];
  readonly result?: unknown;
  readonly error?: Readonly<Record<string, unknown>>;
  readonly waits?: readonly number[];
  readonly never_shown?: readonly string[];
}

export interface Exchange {
  readonly request: {
    readonly method: string;
    readonly path: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly absent?: readonly string[];
    readonly body?: unknown;
  };
  readonly reply: {
    readonly status?: number;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: unknown;
    readonly text?: string;
    readonly fault?: 'drop' | 'reset' | 'truncate' | 'hang';
  };
}

interface Cases {
  readonly api_key: string;
  readonly now: string;
  readonly random: number;
  readonly decision: object;
  readonly cases: readonly Case[];
}

const text = readFileSync(join(import.meta.dirname, '../cases.json'), 'utf8');
const written: Cases = JSON.parse(text);

/** The document, with `$api_key` and `$decision` replaced. */
export const CASES: Cases = JSON.parse(
  text
    .replaceAll('"$api_key"', JSON.stringify(written.api_key))
    .replaceAll('"$decision"', JSON.stringify(written.decision)),
);
