import { errors, type JWTPayload, type JWTVerifyGetKey, type JWTVerifyResult, jwtVerify } from 'jose';
import {
  type Identity,
  isSubject,
  type ProvenIdentity,
  type ProviderLogout,
} from '../../domain/accounts/provider/identity-provider.ts';
import { IDENTITY } from '../../domain/limits.ts';
import { type Millis, SECOND } from '../../domain/time.ts';
import { ProviderFailure } from './provider-metadata.ts';

/** The issuer, the audience and the keys by which tokens are verified. */
export interface TokenRules {
  readonly issuer: string;
  readonly clientId: string;
  readonly audience: string;
  /** That access tokens must contain; null: none. */
  readonly scope: string | null;
  /** How long after its issue an access token is accepted. */
  readonly longestToken: Millis;
  /** Values of `acr` that mean more than a password, as the operator names them. */
  readonly factorAcr: readonly string[];
  /** Whether only `auth_time` says when the owner of an access token logged in. */
  readonly requireAuthTime: boolean;
  readonly keys: JWTVerifyGetKey;
  readonly now: () => Millis;
}

/** settled.md section 8. Neither `none` nor HMAC is allowed: for HMAC a public key could serve as the secret. */
const ALGORITHMS = ['RS256', 'ES256', 'EdDSA'];

/** The types of access tokens; RFC 9068 defines the first, and older providers send JWT or no type. */
const ACCESS_TOKEN_TYPES: readonly unknown[] = ['at+jwt', 'application/at+jwt', 'jwt', undefined];

/**
 * The identity that an access token proves; null for a token that is not valid for this service now.
 * @throws ProviderFailure when the token cannot be checked
 */
export async function identityOfAccessToken(token: string, rules: TokenRules): Promise<ProvenIdentity | null> {
  const verified = await verify(token, rules, rules.audience);
  if (!verified || !isAccessToken(verified, rules)) return null;
  if (!isShortLived(verified.payload, rules) || !hasScope(verified.payload, rules)) return null;
  const { iat, auth_time } = verified.payload;
  const at = auth_time === undefined && !rules.requireAuthTime ? iat : auth_time;
  return provenBy({ ...verified.payload, auth_time: at }, rules);
}

/**
 * The identity that an id token proves that the provider has just sent.
 * @param nonce the value that the token must repeat; null when the request had none
 * @throws ProviderFailure when the token does not match the request
 */
export async function identityOfIdToken(
  token: unknown,
  nonce: string | null,
  rules: TokenRules,
): Promise<ProvenIdentity> {
  if (typeof token !== 'string') throw new ProviderFailure('id_token_missing');
  const verified = await verify(token, rules, rules.clientId);
  const proven = verified && provenBy(verified.payload, rules);
  if (!proven) throw new ProviderFailure('id_token_invalid');
  const { aud, azp, nonce: repeated } = verified.payload;
  if (nonce !== null && repeated !== nonce) throw new ProviderFailure('nonce_mismatch');
  const isOursAlone = azp === rules.clientId || (azp === undefined && [aud].flat().length === 1);
  if (!isOursAlone) throw new ProviderFailure('authorized_party_mismatch');
  return proven;
}

/**
 * What a logout token ends (OpenID Connect Back-Channel Logout 1.0, section 2.6); null for a token that is not valid.
 * @throws ProviderFailure when the token cannot be checked
 */
export async function logoutOfToken(token: string, rules: TokenRules): Promise<ProviderLogout | null> {
  const verified = await verify(token, rules, rules.clientId, ['iat', 'jti']);
  if (!verified || !LOGOUT_TOKEN_TYPES.includes(verified.protectedHeader.typ?.toLowerCase())) return null;
  const { sid, sub, iat = 0, nonce, events } = verified.payload;
  const event = (events as Readonly<Record<string, unknown>> | undefined)?.[LOGOUT_EVENT];
  if (typeof event !== 'object' || event === null || nonce !== undefined) return null;
  if (Math.abs(rules.now() - iat * SECOND) > IDENTITY.logoutLife) return null;
  const identity = identityOf(verified.payload);
  if ((sub !== undefined && !identity) || (sid !== undefined && !isSubject(sid)) || (!identity && !sid)) return null;
  return { identity, provider_session: isSubject(sid) ? sid : null, issued_at: new Date(iat * SECOND) };
}

/** The specification names the first; older providers send JWT or no type. */
const LOGOUT_TOKEN_TYPES: readonly unknown[] = ['logout+jwt', 'application/logout+jwt', 'jwt', undefined];
const LOGOUT_EVENT = 'http://schemas.openid.net/event/backchannel-logout';

/** null for a token that jose refuses. */
async function verify(
  token: string,
  rules: TokenRules,
  audience: string,
  requiredClaims = ['exp', 'sub'],
): Promise<JWTVerifyResult | null> {
  try {
    return await jwtVerify(token, rules.keys, {
      issuer: rules.issuer,
      audience,
      algorithms: ALGORITHMS,
      clockTolerance: IDENTITY.clockSkew / SECOND,
      currentDate: new Date(rules.now()),
      requiredClaims,
    });
  } catch (error) {
    if (error instanceof errors.JOSEError) return null;
    // jose throws its own errors for faults of a token, so this error is caused by a key that the provider published.
    throw error instanceof ProviderFailure ? error : new ProviderFailure('key_unusable', { cause: error });
  }
}

/** An id token names our client id. If that is also the audience of access tokens, only the type distinguishes them. */
function isAccessToken({ protectedHeader }: JWTVerifyResult, { audience, clientId }: TokenRules): boolean {
  const type = protectedHeader.typ?.toLowerCase();
  return audience === clientId ? type === 'at+jwt' || type === 'application/at+jwt' : ACCESS_TOKEN_TYPES.includes(type);
}

/** A token without a time of issue is judged by its end: it must be no further away than the longest token lasts. */
function isShortLived({ iat, exp = 0 }: JWTPayload, { longestToken, now }: TokenRules): boolean {
  const allowance = longestToken + IDENTITY.clockSkew;
  if (iat === undefined) return exp * SECOND <= now() + allowance;
  return iat * SECOND <= now() + IDENTITY.clockSkew && now() < iat * SECOND + allowance;
}

/** In `scope`, a text (RFC 9068, 2.2.3), or in `scp`, a list or a text, as some providers write it. */
function hasScope({ scope, scp }: JWTPayload, { scope: required }: TokenRules): boolean {
  if (required === null) return true;
  const words = [scope, scp].flat().flatMap((part) => (typeof part === 'string' ? part.split(' ') : []));
  return words.includes(required);
}

function provenBy(
  { auth_time, sid, acr, amr, ...claims }: JWTPayload,
  { factorAcr }: Pick<TokenRules, 'factorAcr'>,
): ProvenIdentity | null {
  const identity = identityOf(claims);
  const isTime = typeof auth_time === 'number' && auth_time >= 0 && auth_time <= LAST_TIME;
  const authenticated_at = isTime ? new Date(auth_time * SECOND) : null;
  const has_factor = factorAcr.some((known) => known === acr) || isByFactor(amr);
  return identity && { identity, authenticated_at, provider_session: isSubject(sid) ? sid : null, has_factor };
}

/** RFC 8176, section 2: several factors, a one-time code, a key in hardware or software, a smart card. */
const FACTOR_METHODS: readonly unknown[] = ['mfa', 'mca', 'otp', 'hwk', 'swk', 'sc'];

function isByFactor(amr: unknown): boolean {
  return Array.isArray(amr) && amr.some((method) => FACTOR_METHODS.includes(method));
}

/** The end of the year 2100, in seconds: what follows is no time of a login. */
const LAST_TIME = 4_133_980_800;

function identityOf({ iss, sub }: JWTPayload): Identity | null {
  return iss !== undefined && isSubject(sub) ? { issuer: iss, subject: sub } : null;
}
