import { parseAddress } from '../../networks.ts';
import { Problem } from '../../problem.ts';

/** Where passkeys are made and used (WebAuthn 5.1.2): no other place gets them from a browser. */
export interface RelyingParty {
  /** The host name that passkeys are bound to (the RP ID). */
  readonly id: string;
  /** The origins of the pages that may use them. */
  readonly origins: readonly string[];
}

/**
 * The place of the passkeys of this service: the host of PUBLIC_URL; without it `localhost`, because the caller chooses the
 * Host header.
 * @param publicOrigin of PUBLIC_URL; null without it
 * @param host the Host header, with its port
 * @throws Problem MISDIRECTED_REQUEST where the address is that of no such place: browsers take no IP address for one
 */
export function relyingParty(publicOrigin: string | null, host: string): RelyingParty {
  if (publicOrigin !== null) return ofPublicUrl(publicOrigin);
  const { hostname, port } = addressOf(host);
  const here = `localhost${port === '' ? '' : `:${port}`}`;
  if (hostname === 'localhost') return { id: 'localhost', origins: [`http://${here}`, `https://${here}`] };
  throw new Problem('MISDIRECTED_REQUEST', 'Browsers take passkeys for a host name alone, and for no IP address.', {
    suggestion: `Open http://${here} instead; for other machines the operator sets PUBLIC_URL to an https address with a host name.`,
  });
}

function ofPublicUrl(origin: string): RelyingParty {
  const { hostname, port, protocol } = new URL(origin);
  if (parseAddress(hostname.replace(/^\[|\]$/g, '')) === null) return { id: hostname, origins: [origin] };
  const named = `${protocol}//localhost${port === '' ? '' : `:${port}`}`;
  throw new Problem(
    'MISDIRECTED_REQUEST',
    `Browsers take no passkeys for an IP address, and PUBLIC_URL is ${origin}.`,
    {
      suggestion: `The operator sets PUBLIC_URL to an address with a host name (${named} on one machine); then open that one.`,
    },
  );
}

function addressOf(host: string): Pick<URL, 'hostname' | 'port'> {
  const address = URL.canParse(`http://${host}`) ? new URL(`http://${host}`) : null;
  return address ?? { hostname: '', port: '' };
}
