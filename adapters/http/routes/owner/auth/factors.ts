import {
  type FactorCaller,
  type FactorPorts,
  renewRecoveryCodes,
} from '../../../../../application/accounts/factors/factor-change.ts';
import { cancelFactorReset } from '../../../../../application/accounts/factors/factor-reset.ts';
import {
  beginTotp,
  confirmTotp,
  listFactors,
  removeTotp,
  type TotpPorts,
} from '../../../../../application/accounts/factors/manage-totp.ts';
import type { Ports } from '../../../../../application/ports.ts';
import type { OwnerCaller } from '../../../../../domain/caller.ts';
import { FACTOR, TOTP } from '../../../../../domain/limits.ts';
import { MINUTE } from '../../../../../domain/time.ts';
import { type Endpoint, endpoint, type Visit } from '../../../kit/endpoint.ts';
import {
  addedFactor,
  begunTotp,
  begunTotpExample,
  factorList,
  factorListExample,
  newRecoveryCodes,
  recoveryCodesExample,
  shownPasskey,
  totpProof,
} from '../../../shapes/accounts/factors.ts';
import { loginCookies } from '../../public/auth/login.ts';

/** @param passkeys the endpoints of passkeys, which the reference has among those of factors */
export function factorEndpoints(ports: Ports, passkeys: readonly Endpoint[]): readonly Endpoint[] {
  return [
    listFactorsEndpoint(ports),
    beginTotpEndpoint(ports),
    confirmTotpEndpoint(ports),
    removeTotpEndpoint(ports),
    ...passkeys,
    renewRecoveryCodesEndpoint(ports),
    cancelFactorResetEndpoint(ports),
  ];
}

const tag = 'Accounts';
/** A change replaces the session of the request, so it needs one. */
const auth = ['legacy_session'] as const;
export const FACTORS = '/api/v1/owner/auth/factors';

export const RECENTLY =
  'It needs a recent login, with a second factor where the account has one: otherwise the reply is ' +
  'REAUTHENTICATION_REQUIRED.';
export const NEW_SESSION = { 'set-cookie': 'The cookie of the new session.' };

function listFactorsEndpoint(ports: Pick<Ports, 'factors' | 'sessions' | 'settings'>) {
  return endpoint({
    id: 'listFactors',
    method: 'GET',
    path: FACTORS,
    isAddition: true,
    summary: 'List your second factors',
    description:
      'What your logins need besides the password, and how many recovery codes are left. It shows no secret.',
    tag,
    auth: ['owner_bearer', 'legacy_session'],
    withoutFactor: true,
    replies: { 200: { description: 'Your second factors.', schema: factorList, example: factorListExample } },
    problems: [],
    async handle({ caller, credential }) {
      const { passkeys, ...factors } = await listFactors(ports, caller, credential);
      return { status: 200, body: { ...factors, passkeys: passkeys.map(shownPasskey) } };
    },
  });
}

function beginTotpEndpoint(ports: TotpPorts) {
  return endpoint({
    id: 'beginTotp',
    method: 'POST',
    path: `${FACTORS}/totp`,
    isAddition: true,
    summary: 'Begin an authenticator app',
    description:
      'Makes the secret of an authenticator app (TOTP, RFC 6238). It is a factor of the account once a code of the app ' +
      `has confirmed it, within ${TOTP.beginLife / MINUTE} minutes; until then an app of before goes on working. ${RECENTLY}`,
    tag,
    auth,
    withoutFactor: true,
    replies: { 201: { description: 'The secret, shown only once.', schema: begunTotp, example: begunTotpExample } },
    problems: ['REAUTHENTICATION_REQUIRED'],
    async handle(visit) {
      return { status: 201, body: await beginTotp(ports, factorCaller(visit)) };
    },
  });
}

function confirmTotpEndpoint(ports: TotpPorts) {
  return endpoint({
    id: 'confirmTotp',
    method: 'POST',
    path: `${FACTORS}/totp/confirm`,
    isAddition: true,
    summary: 'Confirm the authenticator app',
    description:
      'Makes the app that was begun a second factor, in the place of a former one. All your sessions end, and the reply ' +
      `sets the cookie of a new one. The first factor of an account comes with ${FACTOR.recoveryCodes} recovery codes. ${RECENTLY}`,
    tag,
    auth,
    withoutFactor: true,
    body: { schema: totpProof, example: { totp: '287082' } },
    replies: {
      200: {
        description: 'Logins by password need a code from now on.',
        schema: addedFactor,
        example: recoveryCodesExample,
        headers: NEW_SESSION,
      },
    },
    problems: ['REAUTHENTICATION_REQUIRED', 'INVALID_CREDENTIALS', 'NOT_FOUND'],
    async handle(visit) {
      const { recovery_codes, ...login } = await confirmTotp(ports, factorCaller(visit), visit.body.totp);
      return { status: 200, headers: loginCookies(visit.sessionCookie, login), body: { recovery_codes } };
    },
  });
}

function removeTotpEndpoint(ports: FactorPorts) {
  return endpoint({
    id: 'removeTotp',
    method: 'DELETE',
    path: `${FACTORS}/totp`,
    isAddition: true,
    summary: 'Remove the authenticator app',
    description:
      'Its codes are void from now on, and your other sessions end. The recovery codes end with the last factor. ' +
      'The last one of an owner who needs one is FACTOR_REQUIRED. ' +
      RECENTLY,
    tag,
    auth,
    replies: { 204: { description: 'The app is removed.' } },
    problems: ['REAUTHENTICATION_REQUIRED', 'FACTOR_REQUIRED', 'NOT_FOUND'],
    async handle(visit) {
      await removeTotp(ports, factorCaller(visit));
      return { status: 204 };
    },
  });
}

function renewRecoveryCodesEndpoint(ports: FactorPorts) {
  return endpoint({
    id: 'renewRecoveryCodes',
    method: 'POST',
    path: `${FACTORS}/recovery-codes`,
    isAddition: true,
    summary: 'Get new recovery codes',
    description: `Makes ${FACTOR.recoveryCodes} new recovery codes; those of before are void. ${RECENTLY}`,
    tag,
    auth,
    replies: {
      201: { description: 'The codes, shown only once.', schema: newRecoveryCodes, example: recoveryCodesExample },
    },
    problems: ['REAUTHENTICATION_REQUIRED', 'NOT_FOUND'],
    async handle(visit) {
      return { status: 201, body: { recovery_codes: await renewRecoveryCodes(ports, factorCaller(visit)) } };
    },
  });
}

function cancelFactorResetEndpoint(ports: Pick<Ports, 'transaction'>) {
  return endpoint({
    id: 'cancelFactorReset',
    method: 'DELETE',
    path: `${FACTORS}/reset`,
    isAddition: true,
    summary: 'Keep your second factors',
    description:
      'Takes back the removal of all your factors that an operator has requested, because somebody says that you lost them ' +
      '(`reset` of the list). It needs no recent login.',
    tag,
    auth: ['owner_bearer', 'legacy_session'],
    withoutFactor: true,
    replies: { 204: { description: 'The factors stay.' } },
    problems: ['NOT_FOUND'],
    async handle({ caller, source }) {
      await cancelFactorReset(ports, caller.owner_id, source);
      return { status: 204 };
    },
  });
}

/** The caller of a request by session. */
export function factorCaller({
  caller,
  credential,
  source,
}: Pick<Visit, 'credential' | 'source'> & { readonly caller: OwnerCaller }): FactorCaller {
  return { owner_id: caller.owner_id, session: credential?.secret ?? '', source };
}
