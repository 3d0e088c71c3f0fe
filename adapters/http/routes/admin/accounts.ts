import { listAccounts, readAccount } from '../../../../application/accounts/operators/list-accounts.ts';
import { changeTier, resumeOwner, suspendOwner } from '../../../../application/accounts/operators/owner-changes.ts';
import { recentLoginBy } from '../../../../application/accounts/sign-in/recent-login.ts';
import type { Ports } from '../../../../application/ports.ts';
import { type Endpoint, endpoint } from '../../kit/endpoint.ts';
import {
  account,
  accountExample,
  accountPage,
  accountPath,
  accountQuery,
  resumption,
  suspendRequest,
  suspension,
  tierChange,
  tierRequest,
} from '../../shapes/operators/accounts.ts';

export function accountEndpoints(ports: Ports): readonly Endpoint[] {
  return [
    listAccountsEndpoint(ports),
    readAccountEndpoint(ports),
    suspendAccountEndpoint(ports),
    resumeAccountEndpoint(ports),
    setTierEndpoint(ports),
  ];
}

const tag = 'Admin';
const auth = 'admin';
const ACCOUNTS = '/api/v1/admin/accounts';
const ACCOUNT = `${ACCOUNTS}/{owner_id}` as const;

const RULES =
  'It needs a recent login (REAUTHENTICATION_REQUIRED otherwise), and is in the audit log and among the security events of ' +
  'the account. The account of an admin is FORBIDDEN: the command line changes it.';
const CHANGE_PROBLEMS = ['REAUTHENTICATION_REQUIRED', 'FORBIDDEN', 'NOT_FOUND'] as const;

type AccountPorts = Pick<Ports, 'accounts' | 'settings' | 'transaction' | 'identityProvider' | 'clock'>;

function listAccountsEndpoint(ports: AccountPorts) {
  return endpoint({
    id: 'listAccounts',
    method: 'GET',
    path: ACCOUNTS,
    isAddition: true,
    summary: 'List and find accounts',
    description: 'The youngest first, with counts and without what their owners wrote.',
    tag,
    auth,
    query: accountQuery,
    replies: {
      200: { description: 'A page.', schema: accountPage, example: { items: [accountExample], next_cursor: null } },
    },
    problems: [],
    async handle({ query }) {
      return { status: 200, body: await listAccounts(ports, query) };
    },
  });
}

function readAccountEndpoint(ports: AccountPorts) {
  return endpoint({
    id: 'readAccount',
    method: 'GET',
    path: ACCOUNT,
    isAddition: true,
    summary: 'Read one account',
    description: 'As the list has it.',
    tag,
    auth,
    params: accountPath,
    replies: { 200: { description: 'The account.', schema: account, example: accountExample } },
    problems: ['NOT_FOUND'],
    async handle({ params: { owner_id } }) {
      return { status: 200, body: await readAccount(ports, owner_id) };
    },
  });
}

function suspendAccountEndpoint(ports: AccountPorts) {
  return endpoint({
    id: 'suspendAccount',
    method: 'POST',
    path: `${ACCOUNT}/suspend`,
    isAddition: true,
    summary: 'Suspend an account',
    description:
      'Its sessions end and its keys stop at once; no login, key, agent or submission is accepted until it is resumed. Its ' +
      `decisions stay, are graded and counted. ${RULES}`,
    tag,
    auth,
    params: accountPath,
    body: { schema: suspendRequest, example: { reason: 'Keys found in a public repository.' } },
    replies: {
      200: {
        description: 'It is suspended.',
        schema: suspension,
        example: {
          changed: true,
          sessions_ended: 1,
          keys_stopped: ['sbk_Xk29fQ7b'],
          account: { ...accountExample, suspended_at: new Date('2026-01-30T14:30:00.000Z'), keys: 0, sessions: 0 },
        },
      },
    },
    problems: CHANGE_PROBLEMS,
    async handle({ caller, credential, source, params: { owner_id }, body: { reason } }) {
      const by = { source, admin: caller.owner_id, confirmLogin: await recentLoginBy(ports, credential) };
      const { ended } = await suspendOwner(ports, owner_id, reason, caller.owner_id, by);
      const { sessions_ended = 0, keys: keys_stopped = [] } = ended ?? {};
      const now = await readAccount(ports, owner_id);
      return { status: 200, body: { changed: ended !== null, sessions_ended, keys_stopped, account: now } };
    },
  });
}

function resumeAccountEndpoint(ports: AccountPorts) {
  return endpoint({
    id: 'resumeAccount',
    method: 'POST',
    path: `${ACCOUNT}/resume`,
    isAddition: true,
    summary: 'End the suspension of an account',
    description: `The keys that the suspension stopped work again, and no others; the owner logs in anew. ${RULES}`,
    tag,
    auth,
    params: accountPath,
    replies: {
      200: {
        description: 'It is in use.',
        schema: resumption,
        example: { changed: true, keys_restored: ['sbk_Xk29fQ7b'], account: accountExample },
      },
    },
    problems: CHANGE_PROBLEMS,
    async handle({ caller, credential, source, params: { owner_id } }) {
      const by = { source, admin: caller.owner_id, confirmLogin: await recentLoginBy(ports, credential) };
      const { keys } = await resumeOwner(ports, owner_id, caller.owner_id, by);
      const now = await readAccount(ports, owner_id);
      return { status: 200, body: { changed: keys !== null, keys_restored: keys ?? [], account: now } };
    },
  });
}

function setTierEndpoint(ports: AccountPorts) {
  return endpoint({
    id: 'setTier',
    method: 'PUT',
    path: `${ACCOUNT}/tier`,
    isAddition: true,
    summary: "Set an account's tier",
    description:
      'From the next request on it limits keys, agents and workflows. A smaller tier removes nothing; a larger one ends the ' +
      `sessions. ${RULES}`,
    tag,
    auth,
    params: accountPath,
    body: { schema: tierRequest, example: { tier: 'pro' } },
    replies: {
      200: {
        description: 'It has the tier.',
        schema: tierChange,
        example: { changed: true, sessions_ended: 1, account: { ...accountExample, tier: 'pro', sessions: 0 } },
      },
    },
    problems: CHANGE_PROBLEMS,
    async handle({ caller, credential, source, params: { owner_id }, body: { tier } }) {
      const by = { source, admin: caller.owner_id, confirmLogin: await recentLoginBy(ports, credential) };
      const { changed, sessions_ended } = await changeTier(ports, owner_id, tier, caller.owner_id, by);
      return { status: 200, body: { changed, sessions_ended, account: await readAccount(ports, owner_id) } };
    },
  });
}
