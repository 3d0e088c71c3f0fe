import { errors, type JWTPayload, type JWTVerifyGetKey, type JWTVerifyResult, jwtVerify } from 'jose';
import { type Identity, isSubject } from '../../domain/accounts/identity.ts';
import { IDENTITY } from '../../domain/limits.ts';
import { type Millis, SECOND } from '../../domain/time.ts';
import { ProviderFailure } from './provider-failure.ts';

/** Who issues tokens, for whom, and by which keys they are verified. */
export interface TokenRules {
  readonly issuer: string;
  readonly clientId: string;
  readonly audience: string;
  readonly keys: JWTVerifyGetKey;
  readonly now: () => Millis;
}

/** settled.md section 8. Among them no `none`, and no HMAC, for which a public key would pass as the secret. */
const ALGORITHMS = ['RS256', 'ES256', 'EdDSA'];

/** How providers label access tokens; RFC 9068 has the first, and older ones say JWT or nothing. */
const ACCESS_TOKEN_TYPES: readonly unknown[] = ['at+jwt', 'application/at+jwt', 'jwt', undefined];

/**
 * Whom an access token is about; null for one that is not valid here and now.
 * @throws ProviderFailure when that cannot be found out
 */
export async function identityOfAccessToken(token: string, rules: TokenRules): Promise<Identity | null> {
  const verified = await verify(token, rules, rules.audience);
  if (!verified || !isAccessToken(verified, rules)) return null;
  return identityOf(verified.payload);
}

/**
 * Whom an id token is about, which the provider has just sent us.
 * @param nonce what it must repeat; null where none was sent with the request
 * @throws ProviderFailure when it is not what we asked for
 */
export async function identityOfIdToken(token: unknown, nonce: string | null, rules: TokenRules): Promise<Identity> {
  if (typeof token !== 'string') throw new ProviderFailure('id_token_missing');
  const verified = await verify(token, rules, rules.clientId);
  const identity = verified && identityOf(verified.payload);
  if (!identity) throw new ProviderFailure('id_token_invalid');
  const { aud, azp, nonce: repeated } = verified.payload;
  if (nonce !== null && repeated !== nonce) throw new ProviderFailure('nonce_mismatch');
  const isOursAlone = azp === rules.clientId || (azp === undefined && [aud].flat().length === 1);
  if (!isOursAlone) throw new ProviderFailure('authorized_party_mismatch');
  return identity;
}

/** null for a token that jose finds fault with. */
async function verify(token: string, rules: TokenRules, audience: string): Promise<JWTVerifyResult | null> {
  try {
    return await jwtVerify(token, rules.keys, {
      issuer: rules.issuer,
      audience,
      algorithms: ALGORITHMS,
      clockTolerance: IDENTITY.clockSkew / SECOND,
      currentDate: new Date(rules.now()),
      requiredClaims: ['exp', 'sub'],
    });
  } catch (error) {
    if (error instanceof errors.JOSEError) return null;
    // Of a token's own faults jose throws errors of its own: this one lies in a key that the provider published.
    throw error instanceof ProviderFailure ? error : new ProviderFailure('key_unusable', { cause: error });
  }
}

/** An id token of ours names our client id: where that is the audience of access tokens too, only the type distinguishes them. */
function isAccessToken({ protectedHeader }: JWTVerifyResult, { audience, clientId }: TokenRules): boolean {
  const type = protectedHeader.typ?.toLowerCase();
  return audience === clientId ? type === 'at+jwt' || type === 'application/at+jwt' : ACCESS_TOKEN_TYPES.includes(type);
}

function identityOf({ iss, sub }: JWTPayload): Identity | null {
  return iss !== undefined && isSubject(sub) ? { issuer: iss, subject: sub } : null;
}
