import { ConnectionFailedError, RefusedError } from '../client/errors.ts';

export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

export function printJson(value: unknown): void {
  print(JSON.stringify(value, null, 2));
}

export function complain(line: string): void {
  process.stderr.write(`stancebook: ${line}\n`);
}

/** A text of the service on a terminal: control characters of it would move the cursor or hide what is there. */
export function shown(text: string): string {
  return text.replaceAll(CONTROLS, '\ufffd');
}

const CONTROLS = /\p{Cc}|\p{Bidi_Control}/gu;

/** What is wrong and what to do, line by line. */
export function describeError(error: unknown): string {
  if (error instanceof ConnectionFailedError && error.idempotencyKey !== null) {
    return `${error.message}\n  Repeat it with --idempotency-key ${error.idempotencyKey}: it makes one record.`;
  }
  if (!(error instanceof RefusedError)) return shown(error instanceof Error ? error.message : String(error));
  const { code, message, suggestion, details, requestId } = error;
  const faults = details.map(({ path, message: fault }) => `${path}: ${fault}`);
  const request = requestId === null ? [] : [`request ${requestId}`];
  return [`${code}: ${message}`, ...faults, suggestion, ...request].filter(Boolean).map(shown).join('\n  ');
}
