import { BlockList, isIP } from 'node:net';
import { bareAddress } from './client-network.ts';

/**
 * Whether an address is in one of the networks, each an address or a network in CIDR form. An IPv4 address inside IPv6
 * is in the networks of the IPv4 address; a text that is no address is in none.
 */
export function networkList(networks: readonly string[]): (sent: string) => boolean {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', bits] = network.split('/');
    const family = familyOf(address);
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return (sent) => {
    const address = bareAddress(sent);
    return isIP(address) !== 0 && list.check(address, familyOf(address));
  };
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4';
}
