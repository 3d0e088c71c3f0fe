import { isInNetwork, parseAddress, parseNetwork } from '../../../../domain/networks.ts';
import { bareAddress } from './client-network.ts';

/**
 * Whether an address is in one of the networks, each an address or a network in CIDR form. A text that is no address is
 * in none.
 */
export function networkList(networks: readonly string[]): (sent: string) => boolean {
  const parsed = networks.map((text) => parseNetwork(text)).filter((network) => network !== null);
  return (sent) => {
    const address = parseAddress(bareAddress(sent));
    return address !== null && parsed.some((network) => isInNetwork(address, network));
  };
}
