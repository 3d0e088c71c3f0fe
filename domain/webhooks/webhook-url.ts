import { WEBHOOK_REQUEST } from '../limits.ts';
import { type IpAddress, type IpNetwork, isInNetwork, parseAddress, parseNetwork } from '../networks.ts';

/** Loopback, and networks of organisations. */
const PRIVATE = networksOf([
  '127.0.0.0/8',
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '100.64.0.0/10', // shared with the provider (CGNAT)
  '::1/128',
  'fc00::/7', // unique local
]);

/** What no operator means: services of the machine and its cloud, many hosts at once, and addresses without a host. */
const NEVER = networksOf([
  '0.0.0.0/8', // "this host": Linux connects to loopback
  '169.254.0.0/16', // link-local, with the metadata services of clouds at 169.254.169.254
  '100.100.100.200/32', // metadata of Alibaba Cloud
  '168.63.129.16/32', // the host of a virtual machine in Azure
  'fd00:ec2::/32', // metadata of AWS
  'fd20:ce::/32', // metadata of Google Cloud
  'fd00:c1::/32', // metadata of Oracle Cloud
  'fd00:42::/32', // metadata of Scaleway
  '192.0.0.0/24', // IETF protocols
  '192.0.2.0/24', // documentation
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '192.88.99.0/24', // 6to4 relays
  '198.18.0.0/15', // benchmarks
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, with broadcast
  '2001::/23', // IETF protocols, with Teredo
  '2001:db8::/32', // documentation
  '3fff::/20', // documentation
  '2002::/16', // 6to4
]);

/** All that IANA gives to hosts; outside of it are `::`, NAT64, link-local, site-local and multicast. */
const GLOBAL_IPV6 = networksOf(['2000::/3']);

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

/** Whose addresses receive webhooks. */
export interface AddressRule {
  /** Whether also loopback and private networks do (WEBHOOK_ALLOW_PRIVATE). */
  readonly allowPrivate: boolean;
}

/**
 * Whether webhooks may be sent to the address: one of a single host in the public internet, by the special-purpose
 * registries of IANA (RFC 6890). An IPv4 address inside IPv6 (`::ffff:10.0.0.1`) is judged as IPv4; the forms that a
 * gateway would translate (NAT64, 6to4, Teredo) are refused whatever they contain.
 */
export function isAdmittedAddress(address: IpAddress, { allowPrivate }: AddressRule): boolean {
  const isIn = (networks: readonly IpNetwork[]) => networks.some((network) => isInNetwork(address, network));
  if (isIn(NEVER)) return false;
  return isIn(PRIVATE) ? allowPrivate : address.family === 4 || isIn(GLOBAL_IPV6);
}

function networksOf(texts: readonly string[]): readonly IpNetwork[] {
  return texts.map(parseNetwork).filter((network) => network !== null);
}
