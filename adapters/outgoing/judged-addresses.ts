import { Resolver } from 'node:dns/promises';
import { WEBHOOK_REQUEST } from '../../domain/limits.ts';
import { addressText, type IpAddress, parseAddress } from '../../domain/networks.ts';
import { SECOND } from '../../domain/time.ts';
import { type AddressRule, isAdmittedAddress } from '../../domain/webhooks/admitted-address.ts';
import { SendFailure } from './send-failure.ts';

export interface HostQuestion {
  readonly rule: AddressRule;
  /** Addresses of DNS servers with their ports; undefined: those of the system. */
  readonly dnsServers: readonly string[] | undefined;
  readonly signal: AbortSignal;
}

/**
 * The addresses of a host that webhooks may be sent to, in the order in which they are tried. Only these texts may be
 * connected to: a name that is resolved again may lead elsewhere.
 * @param host a name, or an address without brackets
 * @throws SendFailure for a host without addresses, and for one of which no address is admitted
 */
export async function judgedAddresses(host: string, question: HostQuestion): Promise<readonly string[]> {
  const found = await addressesOf(host, question);
  const admitted = found.filter((address) => isAdmittedAddress(address, question.rule));
  if (admitted.length === 0) throw new SendFailure(found.length > 0 ? 'ADDRESS_REFUSED' : 'CONNECTION_FAILED');
  return admitted.slice(0, WEBHOOK_REQUEST.addresses).map(addressText);
}

/** Neither /etc/hosts nor search domains count: the DNS servers answer the same to every node. */
async function addressesOf(host: string, { dnsServers, signal }: HostQuestion): Promise<readonly IpAddress[]> {
  const literal = parseAddress(host);
  if (literal) return [literal];
  if (LOOPBACK_NAME.test(host)) return parsed(['127.0.0.1', '::1']);
  const resolver = new Resolver({ timeout: 2 * SECOND, tries: 2 });
  if (dnsServers) resolver.setServers(dnsServers);
  const cancel = () => resolver.cancel();
  signal.addEventListener('abort', cancel, { once: true });
  try {
    const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
    return answers.flatMap((answer) => (answer.status === 'fulfilled' ? parsed(answer.value) : []));
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}

/** DNS servers need not know it (RFC 6761). */
const LOOPBACK_NAME = /^(?:.*\.)?localhost\.?$/;

function parsed(texts: readonly string[]): readonly IpAddress[] {
  return texts.map(parseAddress).filter((address) => address !== null);
}
