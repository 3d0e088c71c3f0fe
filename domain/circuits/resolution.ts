import { CIRCUIT } from '../limits.ts';
import { Problem, type ProblemDetail } from '../problem.ts';

/** Why an operator considers a coin sound again (interface.md 2.5). */
export interface Resolution {
  readonly justification: string;
  /** The service never fetches them. */
  readonly evidence_urls: readonly string[];
}

/** @throws Problem VALIDATION_ERROR unless it has 1 to 500 characters */
export function refuseFaultyReason(reason: string): void {
  refuse(lengthFaults('reason', reason, CIRCUIT.reasonLength));
}

/**
 * @throws Problem VALIDATION_ERROR unless the justification has 1 to 2,000 characters and the evidence is 1 to 20 https
 * URLs without userinfo, of at most 2,048 characters each (settled.md section 9)
 */
export function refuseFaultyResolution({ justification, evidence_urls }: Resolution): void {
  refuse([
    ...lengthFaults('justification', justification, CIRCUIT.justificationLength),
    ...countFaults(evidence_urls),
    ...evidence_urls.flatMap(urlFaults),
  ]);
}

function refuse(details: readonly ProblemDetail[]): void {
  if (details.length === 0) return;
  const message = details.map((fault) => `${fault.path} ${fault.message}`).join('; ');
  throw new Problem('VALIDATION_ERROR', `${message}.`, { details });
}

function lengthFaults(path: string, text: string, most: number): ProblemDetail[] {
  const sound = text.trim() !== '' && text.length <= most;
  return sound ? [] : [{ path, message: `must have 1 to ${most} characters` }];
}

function countFaults({ length }: Resolution['evidence_urls']): ProblemDetail[] {
  const sound = length >= 1 && length <= CIRCUIT.evidenceUrls;
  return sound ? [] : [{ path: 'evidence_urls', message: `must hold 1 to ${CIRCUIT.evidenceUrls} URLs` }];
}

function urlFaults(url: string, index: number): ProblemDetail[] {
  const path = `evidence_urls.${index}`;
  const fault = (message: string): ProblemDetail[] => [{ path, message, received: url.slice(0, 200) }];
  if (url.length > CIRCUIT.evidenceUrlLength) return fault(`must have at most ${CIRCUIT.evidenceUrlLength} characters`);
  if (!WRITTEN_OUT.test(url) || !URL.canParse(url)) return fault('must be an https URL in visible ASCII characters');
  return USERINFO.test(url) ? fault('must not hold a user name or password') : [];
}

/** Only text that all URL parsers read alike: some drop white space, and some take a backslash for a slash. */
const WRITTEN_OUT = /^https:\/\/(?!\/)[!-[\]-~]+$/i;
const USERINFO = /^https:\/\/[^/?#]*@/i;
