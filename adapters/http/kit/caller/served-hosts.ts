import { Problem } from '../../../../domain/problem.ts';

/** Probes know only an address; /metrics has a rule of its own. */
const OF_ANY_HOST: readonly string[] = ['/healthz', '/readyz', '/metrics'];

/** What the rule reads of a request. */
interface Addressed {
  readonly path: string;
  readonly headers: { readonly host?: string | undefined };
}

/**
 * The refusal of a request for another host than that of PUBLIC_URL and the further ones, whatever its port: a page of
 * another site, whose name was made to lead here, sends its own host (RFC 9110, section 15.5.20). Null without
 * PUBLIC_URL: every host is served then.
 */
export function otherHostRefusal(
  publicUrl: string | undefined,
  further: readonly string[],
): ((request: Addressed) => Problem | undefined) | null {
  if (publicUrl === undefined) return null;
  const served = new Set([new URL(publicUrl).hostname, ...further]);
  return ({ path, headers: { host = '' } }) => {
    if (served.has(host.replace(/:\d*$/, '').toLowerCase()) || OF_ANY_HOST.includes(path)) return undefined;
    return new Problem('MISDIRECTED_REQUEST', `The host ${host.slice(0, 100) || '(none)'} is not served here.`, {
      suggestion: `Send requests to ${publicUrl}; a proxy passes the header Host on unchanged.`,
    });
  };
}
