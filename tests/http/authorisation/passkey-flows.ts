import { newChallenge, userHandle } from '../../../application/accounts/passkeys/use-passkey.ts';
import { anOwner, aPasskeyOf } from '../../builders/accounts.ts';
import { SoftAuthenticator } from '../../harness/soft-authenticator.ts';
import { type Cast, PAGES } from './cast.ts';

const HERE = { origin: PAGES, rpId: new URL(PAGES).hostname };
const GHOST = '00000000-0000-7000-8000-000000000000';

/** The one passkey of the owner; a new one, where success has used it up. */
export async function ownPasskey({ service: { ports }, owner }: Cast) {
  const [first] = await ports.passkeys.list(owner.owner_id);
  const passkey = first ?? aPasskeyOf(owner);
  if (!first) await ports.passkeys.add(passkey);
  return { names: { id: passkey.passkey_id, ghost: GHOST } };
}

/** A new passkey, made for a challenge of the owner in a browser; the owner has no other one. */
export async function passkeyAttestation({ service: { ports }, owner }: Cast) {
  const { owner_id } = owner;
  for (const { passkey_id } of await ports.passkeys.list(owner_id)) await ports.passkeys.remove(owner_id, passkey_id);
  const { challenge, browser_secret } = await newChallenge(ports, 'registration', owner_id, undefined);
  const passkey = new SoftAuthenticator().create({ challenge, user: { id: userHandle(owner_id) } }, HERE);
  return { headers: { cookie: `__Host-passkey=${browser_secret}` }, body: { name: 'Laptop', passkey } };
}

/** The login of a new owner by passkey. */
export async function passkeyAssertion({ service: { ports } }: Cast) {
  const owner = anOwner();
  const { owner_id } = owner;
  await ports.owners.add(owner);
  const authenticator = new SoftAuthenticator();
  const place = { id: HERE.rpId, origins: [PAGES] };
  const made = authenticator.create({ challenge: 'AAAA', user: { id: userHandle(owner_id) } }, HERE);
  const attested = await ports.passkeyVerifier.verifyRegistration(made, 'AAAA', place);
  if (!attested) throw new Error('The passkey was not accepted.');
  await ports.passkeys.add({ ...aPasskeyOf(owner), ...attested });
  const { challenge, browser_secret } = await newChallenge(ports, 'login', null, undefined);
  const headers = { cookie: `__Host-passkey=${browser_secret}` };
  return { headers, body: { passkey: authenticator.get({ challenge }, HERE) } };
}
