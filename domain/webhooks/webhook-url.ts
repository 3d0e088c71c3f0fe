import { WEBHOOK_REQUEST } from '../limits.ts';
import { parseAddress } from '../networks.ts';
import { type AddressRule, isAdmittedAddress } from './admitted-address.ts';

/**
 * What the URL must be and is not, as the message of a detail; null for a URL that webhooks may be sent to. A name is
 * judged by its spelling alone: the addresses that it leads to are judged at each connection.
 */
export function webhookUrlProblem(text: string, rule: AddressRule): string | null {
  if (text.length > WEBHOOK_REQUEST.urlLength) return `must have at most ${WEBHOOK_REQUEST.urlLength} characters`;
  const isWritten = WRITTEN_OUT.test(text) && (rule.allowPrivate || /^https:/i.test(text));
  const url = isWritten ? URL.parse(text) : null;
  if (!url)
    return `must be an ${rule.allowPrivate ? 'http or https' : 'https'} URL in visible ASCII characters, as https://example.com/webhooks`;
  if (USERINFO.test(text)) return 'must not contain a user name or password; verify the signature instead';
  if (text.includes('#')) return 'must not have a fragment (`#`), which is never sent';
  return portProblem(url) ?? hostProblem(url, rule);
}

/** Only text that all URL parsers read alike: some drop white space, and some take a backslash for a slash. */
const WRITTEN_OUT = /^https?:\/\/(?!\/)[!-[\]-~]+$/i;
const USERINFO = /^https?:\/\/[^/?#]*@/i;

/** Below are the ports of other services, such as mail. */
function portProblem({ port }: URL): string | null {
  if (port === '' || Number(port) >= WEBHOOK_REQUEST.lowestPort) return null;
  return `must have no port, or one from ${WEBHOOK_REQUEST.lowestPort} to 65535`;
}

/** A URL has already turned `0x7f.1`, `2130706433` and `0177.0.0.1` into `127.0.0.1`. */
function hostProblem({ hostname }: URL, rule: AddressRule): string | null {
  const address = parseAddress(hostname.replace(/^\[(.*)\]$/, '$1'));
  const isAdmitted = address ? isAdmittedAddress(address, rule) : rule.allowPrivate || isPublicName(hostname);
  return isAdmitted ? null : 'must have a host that the public internet reaches, as https://example.com/webhooks';
}

/** Names with one label, and under the domains for networks of one's own (RFC 6761, 6762, 8375; ICANN for `internal`). */
function isPublicName(hostname: string): boolean {
  return !/^[^.]*\.?$|\.(?:localhost|local|internal|home\.arpa)\.?$/.test(hostname);
}
