import { type IpAddress, type IpNetwork, isInNetwork, parseNetwork } from '../networks.ts';

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

function networksOf(texts: readonly string[]): readonly IpNetwork[] {
  return texts.map(parseNetwork).filter((network) => network !== null);
}
