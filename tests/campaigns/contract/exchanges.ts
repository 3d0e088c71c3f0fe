import { join } from 'node:path';
import { runNode } from '../stage/tools.ts';
import { callEveryOperation, endSession } from './calls.ts';
import { type DocumentedOperation, probesOf } from './probes.ts';
import { violationsOf } from './proxy.ts';
import { type Call, type Send, sendTo } from './send.ts';

/** The parts of the document that the exchanges are made from. */
export interface DocumentedService {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>;
}

const ROOT = join(import.meta.dirname, '..', '..', '..');
const CLI = join(ROOT, 'infrastructure', 'cli.ts');
const SESSION_END = 'POST /api/v1/owner/auth/logout';

/** The operations of a document, such as `GET /api/v1/nodes`. */
export function operationsOf({ paths }: DocumentedService): ReadonlyMap<string, DocumentedOperation> {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => [`${method.toUpperCase()} ${path}`, operation] as const),
  );
  return new Map(operations);
}

/** Valid calls of all operations through a proxy. */
export async function callAll(
  document: DocumentedService,
  proxy: string,
  dataFolder: string,
): Promise<{ readonly calls: ReadonlyMap<string, Call>; readonly faults: readonly string[] }> {
  const send = sendTo(proxy);
  const calls = new Map<string, Call>();
  const faults: string[] = [];
  const recording: Send = async (operation, call) => {
    const answer = await send(operation, call);
    if (answer.status < 400 || !calls.has(operation)) calls.set(operation, call);
    faults.push(...violationsOf(answer).map(({ message }) => `${operation} ${answer.status}: ${message}`));
    return answer;
  };
  await callEveryOperation(recording, (...words) => runCommand(words, dataFolder));
  const uncalled = [...operationsOf(document).keys()].filter((name) => name !== SESSION_END && !calls.has(name));
  return { calls, faults: [...faults, ...uncalled.map((name) => `${name} was not called`)] };
}

/**
 * Calls at and beyond the bounds of each operation. A reply must fit the document, no request may fail on the service's
 * side, and no request that the document forbids may succeed.
 */
export async function probeAll(
  document: DocumentedService,
  proxy: string,
  calls: ReadonlyMap<string, Call>,
): Promise<{ readonly probes: number; readonly faults: readonly string[] }> {
  const send = sendTo(proxy);
  const faults: string[] = [];
  let probes = 0;
  for (const [operation, documented] of operationsOf(document)) {
    for (const { name, call } of probesOf(documented, calls.get(operation) ?? {})) {
      if (operation === SESSION_END) continue;
      const answer = await send(operation, call);
      probes += 1;
      for (const { part, message } of violationsOf(answer)) {
        if (part === 'response' || answer.status < 400) {
          faults.push(`${operation}, ${name}, ${answer.status}: ${part}: ${message}`);
        }
      }
      if (answer.status === 500) faults.push(`${operation}, ${name}: ${answer.text}`);
    }
  }
  await endSession(send, { owner: calls.get('GET /api/v1/owner/agents')?.headers ?? {} });
  return { probes, faults };
}

async function runCommand(words: readonly string[], dataFolder: string): Promise<void> {
  const { status, stderr } = await runNode([CLI, ...words], ROOT, { DATA_DIR: dataFolder });
  if (status !== 0) throw new Error(`${words[0]} ended with ${status}:\n${stderr}`);
}
