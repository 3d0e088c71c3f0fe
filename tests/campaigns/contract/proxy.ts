import { join } from 'node:path';
import { addressOf, exitOf, startChild } from '../../../scripts/child-process.ts';
import { toolEnvironment } from '../stage/tools.ts';
import type { Answer } from './send.ts';
import { TOOLS } from './tools.ts';

const PRISM = join(TOOLS, 'node_modules', '.bin', 'prism');
const LISTENING = /listening on (http:\/\/\S+:(\d+))/;

/** A proxy that compares requests and replies with the document. */
export interface ValidatingProxy {
  readonly url: string;
  stop(): Promise<unknown>;
}

/**
 * Starts Prism in front of a service.
 * @param violations `refused`: a violation becomes an error; `reported`: a header of the reply names it
 */
export async function startProxy(
  document: string,
  service: string,
  violations: 'refused' | 'reported',
): Promise<ValidatingProxy> {
  const args = ['proxy', document, service, '--port', '0', ...(violations === 'refused' ? ['--errors'] : [])];
  const child = startChild(PRISM, { args, environment: toolEnvironment() });
  const ended = exitOf(child);
  const { url } = await addressOf(child, LISTENING);
  return {
    url,
    stop() {
      child.kill();
      return ended;
    },
  };
}

/** A contradiction between an exchange and the document. */
export interface Violation {
  readonly part: 'request' | 'response';
  readonly message: string;
}

/** What the proxy found in an exchange, refused or reported. */
export function violationsOf({ headers, text }: Answer): readonly Violation[] {
  if (headers.get('content-type') === 'application/problem+json') return [{ part: 'response', message: text }];
  const reported = headers.get('sl-violations');
  if (reported === null) return [];
  const all: readonly ReportedViolation[] = reported.startsWith('[') ? JSON.parse(reported) : [];
  // A header that would be too long is cut; only requests with very many faults cause that.
  if (all.length === 0) return [{ part: 'request', message: reported.slice(0, 200) }];
  return all.map(({ location: [part], message }) => ({ part: part === 'response' ? part : 'request', message }));
}

interface ReportedViolation {
  readonly location: readonly string[];
  readonly message: string;
}
